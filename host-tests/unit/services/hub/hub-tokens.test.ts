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

const TOKEN_OF_0_1_0 = "0d5ba111-0000-4000-8000-000000000000";
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

/** As version 0.1.0 leaves it. */
function left({ url }: { readonly url?: string }): EmulatedStorage {
  const storage = new EmulatedStorage();
  const settings = new Settings(storage.keyValue);
  settings.write("svc/hub/device_token", TOKEN_OF_0_1_0);
  if (url === undefined) return storage;
  settings.write("svc/hub/url", url);
  settings.write("svc/hub/device_id", "device-1");
  return storage;
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

  test("differs for each hub, and svc/hub/device_token holds that of the current hub", () => {
    const storage = new EmulatedStorage();
    const console = start(storage);
    const tokens = [1, 2, 3].map((number) => tokenAt(console, hubOf(number)));
    expect(new Set(tokens).size).toBe(3);
    expect(tokens.every(isDeviceToken)).toBe(true);
    expect(kept(storage, "svc/hub/device_token")).toBe(tokens[2]);
    expect(start(storage).deviceToken).toBe(tokens[2]);
  });

  test("is the same for a hub to which the console returns, also after a time without a hub", () => {
    const console = start(new EmulatedStorage());
    const first = tokenAt(console, hubOf(1));
    const second = tokenAt(console, hubOf(2));
    expect(tokenAt(console, `${hubOf(1)}/api/v1`)).toBe(first);
    console.setUrl("", false);
    expect(tokenAt(console, hubOf(2))).toBe(second);
    console.setUrl("", false);
    expect([first, second]).not.toContain(tokenAt(console, hubOf(3)));
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
    console.setRegistration({ deviceId: "device-1", claimCode: "ABCD" });
    expect(tokenAt(console, "https://hub.example", true)).toBe(token);
    expect([console.deviceId, console.claimCode]).toEqual(["device-1", "ABCD"]);
    expect(tokenAt(console, hubOf(1))).not.toBe(token);
    expect(console.isRegistered).toBe(false);
  });
});

describe("The token of version 0.1.0", () => {
  test("stays with the current hub, with its registration", () => {
    const console = start(left({ url: `${hubOf(1)}/api/v1` }));
    expect([console.url, console.deviceToken, console.deviceId]).toEqual([
      `${hubOf(1)}/api/v1`,
      TOKEN_OF_0_1_0,
      "device-1",
    ]);
    expect(tokenAt(console, hubOf(2))).not.toBe(TOKEN_OF_0_1_0);
    expect(tokenAt(console, hubOf(1))).toBe(TOKEN_OF_0_1_0);
  });

  test("belongs to no other hub if none is set, since some hub may know it", () => {
    const storage = left({});
    const console = start(storage);
    expect(kept(storage, "svc/hub/device_token")).toBe(TOKEN_OF_0_1_0);
    expect(tokenAt(console, hubOf(1))).not.toBe(TOKEN_OF_0_1_0);
  });

  test("stays if power is lost during the upgrade", async () => {
    await sweepPowerCuts({
      prepare: (storage) => {
        const settings = new Settings(storage.keyValue);
        settings.write("svc/hub/device_token", TOKEN_OF_0_1_0);
        settings.write("svc/hub/url", hubOf(1));
      },
      act: (storage) => void start(storage),
      check: (storage) => expect(start(storage).deviceToken).toBe(TOKEN_OF_0_1_0),
    });
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
