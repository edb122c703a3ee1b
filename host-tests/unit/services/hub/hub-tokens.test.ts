/**
 * Which device token a hub gets: one of its own, also over restarts, moves, rotations and losses of power
 * (docs/spec/device-hub.md#token-per-hub).
 */
import { describe, expect, test } from "vitest";
import { HubSettings } from "../../../../device/services/hub/hub-settings.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { isDeviceToken } from "../../../../protocol/hub/device-token.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { nodeRandom } from "../../../hosts/node-bytes.js";
import { sweepPowerCuts } from "../../../hosts/power-sweep.js";

const hubOf = (number: number) => `http://192.0.2.${number}:8080`;

/** What a console of the next run knows of its hub. */
function start(storage: EmulatedStorage): HubSettings {
  const kept = new HubSettings(new Settings(storage.keyValue), nodeRandom);
  kept.recover();
  return kept;
}

const kept = (storage: EmulatedStorage, path: string) => new Settings(storage.keyValue).read(path);

/** Sets a hub. @returns its token */
function tokenAt(console: HubSettings, url: string, isSameHub = false): string {
  console.setUrl(url, isSameHub);
  return console.deviceToken;
}

/** A console that had a hub and has lost its list of tokens. */
function withoutList({ url }: { readonly url: string }): {
  readonly storage: EmulatedStorage;
  readonly token: string;
} {
  const storage = new EmulatedStorage();
  const console = start(storage);
  const token = tokenAt(console, `${hubOf(1)}/api/v1`);
  console.setRegistration({ deviceId: "device-1" });
  console.setUrl(url, false);
  new Settings(storage.keyValue).write("svc/hub/tokens", "[[");
  return { storage, token };
}

describe("A device token", () => {
  test("is created at the first boot for the first hub, and stored in svc/hub/device_token", () => {
    const storage = new EmulatedStorage();
    const made = start(storage).deviceToken;
    expect(isDeviceToken(made)).toBe(true);
    const console = start(storage);
    expect(console.deviceToken).toBe(made);
    expect(tokenAt(console, hubOf(1))).toBe(made);
    expect(kept(storage, "svc/hub/device_token")).toBe(made);
  });

  test("differs between https and http, where anyone can read it", () => {
    const console = start(new EmulatedStorage());
    expect(tokenAt(console, "http://hub.example")).not.toBe(tokenAt(console, "https://hub.example"));
  });

  test("is kept for eight hubs, and the one that was set longest ago is forgotten", () => {
    const console = start(new EmulatedStorage());
    const tokens = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => tokenAt(console, hubOf(number)));
    expect(tokenAt(console, hubOf(1))).toBe(tokens[0]);
    tokenAt(console, hubOf(9));
    expect(tokenAt(console, hubOf(1))).toBe(tokens[0]);
    expect(tokenAt(console, hubOf(2))).not.toBe(tokens[1]);
  });

  test("of eight hubs with the longest addresses fits the storage", () => {
    const console = start(new EmulatedStorage());
    const urls = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `https://${number}${"x".repeat(246)}`);
    const tokens = urls.map((url) => {
      const token = tokenAt(console, url);
      console.nextToken();
      return token;
    });
    expect(urls.map((url) => tokenAt(console, url))).toEqual(tokens);
  });

  test("moves with a hub that moves, with its registration, and no longer belongs to the old address", () => {
    const console = start(new EmulatedStorage());
    const token = tokenAt(console, hubOf(1));
    console.setRegistration({ deviceId: "device-1", claimCode: "ABCD", takesBearer: true });
    expect(tokenAt(console, "https://hub.example", true)).toBe(token);
    expect([console.deviceId, console.claimCode, console.takesBearer]).toEqual(["device-1", "ABCD", true]);
    expect(tokenAt(console, hubOf(1))).not.toBe(token);
    expect([console.isRegistered, console.takesBearer]).toEqual([false, false]);
  });
});

describe("If the list of tokens is damaged, the token in svc/hub/device_token", () => {
  test("stays with the current hub, with its registration", () => {
    const url = `${hubOf(1)}/api/v1`;
    const { storage, token } = withoutList({ url });
    const console = start(storage);
    expect([console.url, console.deviceToken, console.deviceId]).toEqual([url, token, "device-1"]);
    expect(tokenAt(console, hubOf(2))).not.toBe(token);
    expect(tokenAt(console, hubOf(1))).toBe(token);
  });

  test("belongs to no other hub if none is set, since some hub may know it", async () => {
    const { storage, token } = withoutList({ url: "" });
    expect(kept(storage, "svc/hub/device_token")).toBe(token);
    expect(tokenAt(start(storage), hubOf(2))).not.toBe(token);
  });

  test("stays with its hub, and no other, wherever the repair loses power", async () => {
    for (const url of [`${hubOf(1)}/api/v1`, ""]) {
      let token: string;
      await sweepPowerCuts({
        prepare: (storage) => {
          const console = start(storage);
          token = tokenAt(console, hubOf(1));
          console.setUrl(url, false);
          new Settings(storage.keyValue).write("svc/hub/tokens", "[[");
        },
        act: (storage) => void start(storage),
        check: (storage) => {
          const console = start(storage);
          if (url) expect(console.deviceToken).toBe(token);
          expect(tokenAt(console, hubOf(2))).not.toBe(token);
        },
      });
    }
  });
});

describe("A rotation", () => {
  test("keeps both tokens until the hub has accepted the new one, over restarts", () => {
    const storage = new EmulatedStorage();
    const console = start(storage);
    const old = tokenAt(console, hubOf(1));
    const next = console.nextToken();
    expect(isDeviceToken(next) && next !== old).toBe(true);
    const again = start(storage);
    expect([again.deviceToken, again.nextToken()]).toEqual([old, next]);
    expect(again.acceptNextToken()).toBe(true);
    expect(start(storage).deviceToken).toBe(next);
    expect(kept(storage, "svc/hub/device_token")).toBe(next);
    expect(kept(storage, "svc/hub/tokens")).not.toContain(old);
  });

  test("that has not begun cannot be accepted", () => {
    const console = start(new EmulatedStorage());
    const token = tokenAt(console, hubOf(1));
    expect([console.acceptNextToken(), console.deviceToken]).toEqual([false, token]);
  });

  test("waits for its hub while the console has another", () => {
    const console = start(new EmulatedStorage());
    const old = tokenAt(console, hubOf(1));
    const next = console.nextToken();
    expect([old, next]).not.toContain(tokenAt(console, hubOf(2)));
    expect(console.acceptNextToken()).toBe(false);
    expect([tokenAt(console, hubOf(1)), console.nextToken()]).toEqual([old, next]);
  });
});

/** What a console with the hub `hubOf(1)` does, and the tokens that its address may have afterwards. */
const CHANGES = [
  { name: "a hub is set", act: (console: HubSettings) => console.setUrl(hubOf(2), false), moves: false },
  { name: "a hub moves", act: (console: HubSettings) => console.setUrl(hubOf(2), true), moves: true },
  { name: "a hub is forgotten", act: (console: HubSettings) => console.setUrl("", false), moves: false },
];
for (const { name, act, moves } of CHANGES)
  test(`If ${name} and power is lost at any write, no other hub gets the first one's token`, async () => {
    let token = "";
    const operations = await sweepPowerCuts({
      prepare: (storage) => {
        const console = start(storage);
        token = tokenAt(console, hubOf(1));
        console.setRegistration({ deviceId: "device-1" });
      },
      act: (storage) => act(start(storage)),
      check: (storage) => {
        const console = start(storage);
        const isFirst = console.url === hubOf(1) || moves || console.url === "";
        expect(console.deviceToken === token).toBe(isFirst);
        expect(kept(storage, "svc/hub/device_token")).toBe(console.deviceToken);
        expect(console.isRegistered && !isFirst).toBe(false);
        if (!moves) expect(tokenAt(console, hubOf(1))).toBe(token);
      },
    });
    expect(operations).toBeGreaterThan(1);
  });

test("If power is lost at any write of a rotation, the hub and the console have one token in common", async () => {
  let old = "";
  let next = "";
  await sweepPowerCuts({
    prepare: (storage) => {
      old = tokenAt(start(storage), hubOf(1));
      next = "";
    },
    act: (storage) => {
      const console = start(storage);
      next = console.nextToken();
      console.acceptNextToken(); // the hub knows both from here on
    },
    check: (storage, isDone) => {
      const console = start(storage);
      expect([old, next]).toContain(console.deviceToken);
      if (isDone) expect(console.deviceToken).toBe(next);
      expect(kept(storage, "svc/hub/device_token")).toBe(console.deviceToken);
    },
  });
});

test("A damaged list of tokens loses no hub its token, and gives it to no other", () => {
  for (const damaged of ["", "{}", "[[", '[["http://x","y"]]', "[[[[[]]]]]"]) {
    const storage = new EmulatedStorage();
    const token = tokenAt(start(storage), hubOf(1));
    new Settings(storage.keyValue).write("svc/hub/tokens", damaged);
    const console = start(storage);
    expect(console.deviceToken).toBe(token);
    expect(tokenAt(console, hubOf(2))).not.toBe(token);
  }
});
