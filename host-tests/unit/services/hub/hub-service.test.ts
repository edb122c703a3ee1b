/** The console's hub: how it is set, stored, connected and shown (docs/spec/device-hub.md#set-hub). */
import { describe, expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { isDeviceToken } from "../../../../protocol/hub/device-token.js";
import type { DeviceStarted } from "../../../../protocol/hub/push-messages.js";
import { linesOf } from "../apps/emulated-apps.js";
import { flashedStorage } from "../firmware/emulated-update.js";
import { BOOT, HUB, HubRun, type HubRunOptions, NO_APPS, OWNER } from "./emulated-hub.js";

const start = (options: HubRunOptions = {}) => new HubRun(flashedStorage(), options);
const tokenOf = (run: HubRun) => run.settings.read("svc/hub/device_token") ?? "";
const overUsb = (run: HubRun) => run.hub.status({ withClaimCode: true });
const overWifi = (run: HubRun) => run.hub.status({ withClaimCode: false });

function registered(run: HubRun): HubRun {
  run.link.options.onRegistered({ deviceId: "device-1", claimCode: "ABCD-EFGH" });
  return run;
}

test("The device token is a UUID v4, created at the first boot and kept for the first hub", () => {
  const run = start();
  const token = tokenOf(run);
  expect(isDeviceToken(token)).toBe(true);
  run.connect();
  expect(run.link.options.identity()).toMatchObject({ deviceToken: token, mac: "02:00:00:00:1A:2B" });
  expect(tokenOf(run.again())).toBe(token);
});

describe("Over the network, without the bearer token,", () => {
  const codeOf = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      return (error as Fault).code;
    }
    return "done";
  };

  test("no hub gets another one's token", () => {
    const run = start().connect();
    const sameHub = { asker: { isOwner: false }, isSameHub: true };
    expect(codeOf(() => run.hub.set("http://192.0.2.66", sameHub))).toBe("unauthorized");
    expect(codeOf(() => run.hub.set(HUB, sameHub))).toBe("unauthorized");
    expect(codeOf(() => run.hub.register({ isOwner: false }))).toBe("unauthorized");
    expect(overUsb(run)).toMatchObject({ url: HUB, connected: true });
  });
});

test("A hub that returns no id has registered the console too", () => {
  const run = start().connect();
  run.link.options.onRegistered({});
  expect(overUsb(run)).toEqual({ url: HUB, connected: true });
  expect(run.again().link.options.isRegistered).toBe(true);
});

describe("Without a hub", () => {
  test("no link is opened and no timer set", () => {
    const run = start();
    expect(overUsb(run)).toEqual({ url: "", connected: false });
    expect(run.links).toEqual([]);
    expect(run.clock.timerCount).toBe(0);
    expect(run.hub.applyFirmware()).toBeUndefined();
    run.hub.networkChanged();
    run.hub.followUpdate();
    run.hub.close();
  });

  test("registration fails with hub_unset", () => {
    expect(() => start().hub.register(OWNER.asker)).toThrow(expect.objectContaining({ code: "hub_unset" }));
  });
});

describe("A hub that is set", () => {
  test("replaces the previous one, whose registration is forgotten", () => {
    const run = registered(start().connect());
    const old = run.link;
    run.hub.set("https://hub.example", OWNER);
    expect(old.isClosed).toBe(true);
    expect(run.link.options).toMatchObject({ isRegistered: false, address: { isSecure: true } });
    expect(overUsb(run)).toEqual({ url: "https://hub.example", connected: false });
  });

  test("a second time is retried at once, and keeps its registration", () => {
    const run = registered(start().connect());
    run.hub.set(HUB, OWNER);
    expect(run.links).toHaveLength(1);
    expect(run.link.retries).toBe(1);
    expect(overUsb(run)).toMatchObject({ device_id: "device-1" });
  });

  test("can be removed, and only its token is kept", () => {
    const run = registered(start().connect());
    run.hub.set("", OWNER);
    expect(run.link.isClosed).toBe(true);
    expect(run.clock.timerCount).toBe(0);
    expect(overUsb(run)).toEqual({ url: "", connected: false });
    expect(run.again().links).toEqual([]);
  });

  test("and damaged in the storage is logged, and the console starts", () => {
    const run = start();
    run.settings.write("svc/hub/url", "?");
    expect(overUsb(run.again())).toMatchObject({ connected: false });
  });
});

describe("The hub that the host sets", () => {
  const hostUrl = "http://192.0.2.7";

  test("is used from power-on, in place of the stored one", () => {
    const run = start().connect().again("power_on", { hostUrl, resetReason: "power_on" });
    expect(overUsb(run)).toMatchObject({ url: hostUrl });
    expect(overUsb(run.again("power_on", { resetReason: "power_on" }))).toMatchObject({ url: hostUrl });
  });

  test("does not replace one that was set since then over later restarts", () => {
    const run = start({ hostUrl, resetReason: "power_on" }).connect(HUB);
    const again = run.again("software", { hostUrl, resetReason: "software" });
    expect(overUsb(again)).toMatchObject({ url: HUB });
  });

  test("is removed if empty", () => {
    const run = start().connect().again("power_on", { hostUrl: "", resetReason: "power_on" });
    expect(overUsb(run)).toEqual({ url: "", connected: false });
  });

  test("is ignored if it is not an address", () => {
    const run = start().connect().again("power_on", { hostUrl: "http://?", resetReason: "power_on" });
    expect(overUsb(run)).toMatchObject({ url: HUB });
  });
});

describe("The claim code", () => {
  test("is shown over USB alone, over restarts, until the console is claimed", () => {
    const run = registered(start().connect());
    expect(overUsb(run)).toEqual({
      url: HUB,
      connected: true,
      device_id: "device-1",
      claim_code: "ABCD-EFGH",
    });
    expect(overWifi(run)).toEqual({ url: HUB, connected: true, device_id: "device-1" });
    const again = run.again();
    expect(again.link.options.isRegistered).toBe(true);
    expect(overUsb(again)).toMatchObject({ claim_code: "ABCD-EFGH" });
    again.link.options.onMessage({ type: "device.claimed", claimed: false });
    expect(again.link.registrations).toBe(0);
    const { changes } = again;
    again.link.options.onMessage({ type: "device.claimed", claimed: true });
    expect(again.changes).toBe(changes + 1); // so that the display shows no code that is no longer valid
    expect(overUsb(again)).not.toHaveProperty("claim_code");
    expect(overUsb(again.again())).not.toHaveProperty("claim_code");
  });

  test("is requested again once no account holds the console", () => {
    const run = start().connect();
    run.link.options.onRegistered({ deviceId: "device-1" });
    const { changes } = run;
    run.link.options.onMessage({ type: "device.claimed", claimed: false });
    expect(run.link.registrations).toBe(1);
    expect(run.changes).toBe(changes + 1); // so that the display shows that it is not connected meanwhile
    registered(run);
    expect(overUsb(run)).toMatchObject({ claim_code: "ABCD-EFGH" });
  });

  test("is requested once from a hub that has none", () => {
    const run = start().connect();
    for (let times = 0; times < 3; times++) {
      run.link.options.onMessage({ type: "device.claimed", claimed: false });
      run.link.options.onRegistered({ deviceId: "device-1" });
    }
    expect(run.link.registrations).toBe(1);
  });
});

test("In safe mode the console connects to no hub, neither the stored one nor a new one, and keeps it", () => {
  const safe = start().connect().again("software", { isSafeMode: true });
  expect(overUsb(safe)).toEqual({ url: HUB, connected: false });
  expect(() => safe.hub.register(OWNER.asker)).toThrow(expect.objectContaining({ code: "safe_mode" }));
  safe.hub.set("http://192.0.2.7", OWNER);
  expect(safe.links).toEqual([]);
  expect(safe.clock.timerCount).toBe(0);
  const again = safe.again();
  expect(overUsb(again)).toEqual({ url: "http://192.0.2.7", connected: true });
});

describe("device.status", () => {
  const reports = (run: HubRun) => run.link.sent.splice(0).filter(({ type }) => type === "device.status");

  test("is sent on connect and every 60 seconds, while the channel is open", () => {
    const run = start().connect();
    expect(reports(run)).toEqual([
      {
        type: "device.status",
        firmware_version: "0.1.0",
        free_heap_bytes: 1,
        running_apps: [],
        wifi_rssi: 0,
      },
    ]);
    run.clock.advance(59_999);
    expect(reports(run)).toHaveLength(0);
    run.clock.advance(1);
    expect(reports(run)).toHaveLength(1);
    run.link.lose();
    run.clock.advance(600_000);
    expect(run.clock.timerCount).toBe(0);
    run.link.open();
    run.clock.advance(60_000);
    expect(reports(run)).toHaveLength(2);
  });
});

test("device.started is sent on connect, with the uptime of then, and is the same until the next start", () => {
  const starts = (run: HubRun) => run.link.sent.splice(0).filter(({ type }) => type === "device.started");
  const run = start({ resetReason: "watchdog" }).connect();
  const started = { type: "device.started", boot: BOOT, reset_reason: "watchdog" };
  const [first] = starts(run);
  expect(first).toEqual({ ...started, uptime_s: expect.any(Number) });
  run.clock.advance(90_000);
  run.link.lose();
  run.link.open();
  expect(starts(run)).toEqual([{ ...first, uptime_s: Number((first as DeviceStarted).uptime_s) + 90 }]);
});

describe("app.crashed", () => {
  const crashes = (run: HubRun) => run.link.sent.splice(0).filter(({ type }) => type === "app.crashed");
  const line = '"tetris" ended: trap: unreachable in drop < main';
  const crashed = { type: "app.crashed", app_id: "tetris", version: "1.2.0", message: line };
  const apps = {
    ...NO_APPS,
    deviceApp(name: string) {
      if (name !== "tetris") throw new Error("It has gone");
      return { name, version: "1.2.0", size: 1, running: false };
    },
  };

  test("is sent at once", () => {
    const run = start({ apps }).connect();
    run.hub.appsChanged({ name: "tetris", line });
    expect(crashes(run)).toEqual([crashed]);
    run.link.lose();
    run.link.open();
    expect(crashes(run)).toEqual([]);
  });

  test("waits for the hub if it is away, the last one alone", () => {
    const run = start({ apps }).connect();
    run.link.lose();
    run.hub.appsChanged({ name: "tetris", line: "the one before" });
    run.hub.appsChanged({ name: "tetris", line });
    run.link.open();
    expect(crashes(run)).toEqual([crashed]);
    run.link.lose();
    run.link.open();
    expect(crashes(run)).toEqual([]);
  });

  test("is not sent for an app that is no longer installed, nor without a hub", () => {
    const run = start({ apps }).connect();
    run.hub.appsChanged({ name: "chess", line });
    expect(crashes(run)).toEqual([]);
    run.hub.set("", OWNER);
    run.hub.appsChanged({ name: "tetris", line });
    expect(run.links).toHaveLength(1);
  });
});

test("the log has the id of each order with its result, once it is reported", async () => {
  const run = start().connect();
  await run.say({ type: "app.uninstall", command_id: "one", app_id: "tetris" });
  expect(linesOf(run.log)).toContain("I hub: app.uninstall.result of one: done");
  await run.say({
    type: "app.install",
    command_id: "two",
    app_id: "../x",
    version: "1.0.0",
    download_url: "/",
  });
  expect(linesOf(run.log)).toContain("I hub: app.install.result of two: bad_parameter");
});

describe("hub register", () => {
  test("fails with the hub's reason", async () => {
    const run = start().connect();
    const registration = run.hub.register(OWNER.asker);
    run.link.options.onRetry(new Fault("token_bound", "The token is that of another console"), 1000);
    await expect(registration).rejects.toMatchObject({ code: "token_bound" });
  });

  test("ends the wait of the first of three callers, and answers the others", async () => {
    const run = start().connect();
    const [first, ...others] = [1, 2, 3].map(() => run.hub.register(OWNER.asker));
    await expect(first).rejects.toMatchObject({ code: "busy", details: { retry_after_s: 5 } });
    registered(run);
    for (const other of others) await expect(other).resolves.toMatchObject({ deviceId: expect.any(String) });
  });

  test("fails if the console gets another hub meanwhile", async () => {
    const run = start().connect();
    const registration = run.hub.register(OWNER.asker);
    run.hub.set("", OWNER);
    await expect(registration).rejects.toMatchObject({ code: "hub_unset" });
  });
});

test("A newly joined network triggers a connection attempt at once", () => {
  const run = start().connect();
  run.hub.networkChanged();
  expect(run.link.retries).toBe(1);
});
