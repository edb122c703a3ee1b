/** Joining and forgetting a network (docs/spec/wifi.md#forget). */
import { beforeEach, describe, expect, test } from "vitest";
import type { WifiNetwork } from "../../../../device/ports/wifi.js";
import { Settings } from "../../../../device/services/settings/settings.js";
import { WifiService } from "../../../../device/services/wifi/wifi-service.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { EmulatedAir } from "../../../hosts/emulated-wifi.js";

const SECRET = "correct horse";
const HOME = { SSID: "home", password: SECRET };
const CAFE = { SSID: "cafe" };
const random = { getRandomValues: (into: Uint8Array) => into.fill(0) };

let clock: EmulatedClock;
let air: EmulatedAir;
let storage: EmulatedStorage;
let lines: string[];
let changes: string[];

beforeEach(() => {
  clock = new EmulatedClock();
  air = new EmulatedAir(clock, [HOME, CAFE]);
  storage = new EmulatedStorage();
  lines = [];
  changes = [];
});

const line = (level: string) => (message: string) => {
  lines.push(`${level} ${message}`);
};

/** A console that has just been switched on. */
function boot(builtIn?: WifiNetwork): WifiService {
  const service = new WifiService({
    Wifi: air.wifi(builtIn),
    network: air,
    settings: new Settings(storage.keyValue),
    timer: clock,
    random,
    logger: { debug: line("D"), info: line("I"), warning: line("W"), error: line("E") },
  });
  service.onChange(() => changes.push(service.status().state));
  return service;
}

function bootJoined(): WifiService {
  const service = boot();
  service.provision(HOME.SSID, SECRET);
  clock.advance(100);
  expect(service.status().state).toBe("joined");
  changes.length = 0;
  return service;
}

const JOINED = { state: "joined", ssid: "home", ip: "192.0.2.7", rssi: -50 };
const AWAY = { ip: "", rssi: 0 };

describe("While retries are held", () => {
  test("a network that cannot be joined is not tried again, and is at once when they are not", () => {
    const service = boot();
    service.holdsRetries = true;
    service.provision("home", "wrong password");
    clock.advance(120_000);
    expect([service.status().state, air.attempts.length]).toEqual(["waiting", 1]);
    service.holdsRetries = false;
    expect([service.status().state, air.attempts.length]).toEqual(["joining", 2]);
    clock.advance(120_000);
    expect(air.attempts.length).toBeGreaterThan(4);
  });

  test("a retry that is due is held too, and joining on request is not", () => {
    const service = boot();
    service.provision("home", "wrong password");
    clock.advance(100);
    service.holdsRetries = true;
    clock.advance(120_000);
    expect(air.attempts.length).toBe(1);
    service.provision("home", SECRET);
    clock.advance(100);
    expect([service.status().state, service.joins]).toEqual(["joined", 1]);
  });
});

describe("A new console", () => {
  test("joins its built-in network, if it has one", () => {
    const service = boot(HOME);
    clock.advance(100);
    expect(service.status()).toEqual(JOINED);
  });

  test("starts as joined if the network is present at once", () => {
    air.points.push({ SSID: "here", ending: "at_once" });
    expect(boot({ SSID: "here" }).status()).toMatchObject({ state: "joined", ip: "192.0.2.7" });
  });
});

describe("A network that is set", () => {
  test("replaces the joined one", () => {
    const service = bootJoined();
    service.provision(CAFE.SSID, "");
    expect(service.status()).toEqual({ state: "joining", ssid: "cafe", ...AWAY });
    clock.advance(100);
    expect(service.status()).toMatchObject({ state: "joined", ssid: "cafe" });
  });

  test("replaces one that was just set, which is never reported", () => {
    const service = boot();
    service.provision("nothing", "");
    clock.advance(50);
    service.provision(HOME.SSID, SECRET);
    clock.advance(3_600_000);
    expect(service.status()).toEqual(JOINED);
    expect(changes).toEqual(["joining", "joining", "joined"]);
    expect(air.attempts).toEqual([{ SSID: "nothing" }, HOME]);
  });

  test("changes nothing if it cannot be stored or is invalid", () => {
    const service = bootJoined();
    expect(() => service.provision("", "")).toThrow(expect.objectContaining({ code: "bad_parameter" }));
    expect(service.status()).toEqual(JOINED);
    expect(changes).toEqual([]);
  });

  test("is left and not joined again once forgotten, not even after a restart", () => {
    const service = bootJoined();
    service.forget();
    expect(service.status()).toEqual({ state: "unprovisioned", ...AWAY });
    expect(changes).toEqual(["unprovisioned"]);
    service.close();
    expect(boot(HOME).status()).toEqual({ state: "unprovisioned", ...AWAY });
    clock.advance(3_600_000);
    expect(air.attempts).toEqual([HOME]);
  });
});

describe("A network that cannot be joined", () => {
  const MESSAGE = {
    not_found: "No access point of this name answers",
    wrong_password: "The access point did not accept the password",
    refused: "The access point refused the console",
    no_address: "The network gave no address",
    timeout: "The access point took too long to answer",
  };
  const CASES = [
    { ssid: "nothing", password: "", reason: "not_found", afterMs: 100 },
    { ssid: "home", password: "wrong horse", reason: "wrong_password", afterMs: 100 },
    { ssid: "full", password: "", reason: "refused", afterMs: 100 },
    { ssid: "poor", password: "", reason: "no_address", afterMs: 20_000 },
    { ssid: "deaf", password: "", reason: "timeout", afterMs: 20_000 },
  ] as const;
  for (const { ssid, password, reason, afterMs } of CASES)
    test(`reports "${reason}", and is tried again`, () => {
      air.points.push(
        { SSID: "full", ending: "refused" },
        { SSID: "poor", ending: "no_address" },
        { SSID: "deaf", ending: "silent" },
      );
      const service = boot();
      service.provision(ssid, password);
      clock.advance(afterMs);
      const last_error = { reason, message: MESSAGE[reason] };
      expect(service.status()).toEqual({ state: "waiting", ssid, ...AWAY, last_error });
      clock.advance(1000);
      expect(service.status()).toEqual({ state: "joining", ssid, ...AWAY, last_error });
      expect(air.attempts).toHaveLength(2);
    });

  test("is tried after 1, 2, 4 … and then every 60 s, and joined once present", () => {
    const service = boot();
    service.provision("late", "");
    const waits = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      clock.advance(100);
      waits.push(clock.untilNextMs);
      clock.advance(clock.untilNextMs as number);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    air.points.push({ SSID: "late" });
    clock.advance(60_200);
    expect(service.status()).toEqual({ ...JOINED, ssid: "late" });
  });

  test("is logged once, and not for each attempt", () => {
    const service = boot();
    service.provision("nothing", "");
    clock.advance(600_000);
    service.provision(HOME.SSID, "wrong horse");
    clock.advance(600_000);
    expect(lines.filter((line) => !line.startsWith("D"))).toEqual([
      'W not joined to "nothing": No access point of this name answers; trying again',
      'W not joined to "home": The access point did not accept the password; trying again',
    ]);
  });
});

describe("A network that is lost", () => {
  test("is reported at once, and joined again once it is back", () => {
    const service = bootJoined();
    air.remove("home");
    expect(service.status()).toMatchObject({ state: "waiting", ...AWAY, last_error: { reason: "lost" } });
    clock.advance(30_000);
    expect(service.status()).toMatchObject({ last_error: { reason: "not_found" } });
    air.points.push(HOME);
    clock.advance(60_000);
    expect(service.status()).toEqual(JOINED);
    expect(lines.filter((line) => !line.startsWith("D"))).toEqual([
      'I joined "home"',
      'W not joined to "home": The connection to the access point was lost; trying again',
      'W not joined to "home": No access point of this name answers; trying again',
      'I joined "home"',
    ]);
  });

  test("is left and joined again if it withdraws its address", () => {
    const service = bootJoined();
    air.radio?.expire();
    expect(service.status()).toMatchObject({
      state: "waiting",
      ...AWAY,
      last_error: { reason: "no_address" },
    });
    clock.advance(1100);
    expect(service.status()).toEqual(JOINED);
  });

  test("is retried with the first delay each time after it was joined", () => {
    bootJoined();
    for (let round = 0; round < 5; round++) {
      air.remove("home");
      air.points.push(HOME);
      expect(clock.untilNextMs).toBe(1000);
      clock.advance(1100);
    }
  });
});

describe("A scan", () => {
  const names = async (found: ReturnType<WifiService["scan"]>) =>
    (await found).networks.map(({ ssid }) => ssid);

  test("interrupts a join, which starts anew afterwards", async () => {
    const service = boot();
    service.provision(HOME.SSID, SECRET);
    const found = service.scan();
    expect(service.status().state).toBe("joining");
    clock.advance(2100);
    expect(await names(found)).toEqual(["home", "cafe"]);
    expect(service.status()).toEqual(JOINED);
    expect(air.attempts).toEqual([HOME, HOME]);
  });

  test("is not disturbed when a network is set, forgotten, lost, or due to be tried again", async () => {
    const service = bootJoined();
    const found = service.scan();
    air.remove("home");
    clock.advance(1500);
    service.forget();
    service.provision(CAFE.SSID, "");
    expect(service.status().state).toBe("joining");
    clock.advance(600);
    expect(await names(found)).toEqual(["cafe"]);
    expect(service.status()).toMatchObject({ state: "joined", ssid: "cafe" });
  });

  test("rejects another one at the same time, and none after it", async () => {
    const service = boot();
    const found = service.scan();
    expect(() => service.scan()).toThrow(expect.objectContaining({ code: "wifi_busy", status: 409 }));
    clock.advance(2000);
    await found;
    const next = service.scan();
    clock.advance(2000);
    expect(await names(next)).toEqual(["home", "cafe"]);
  });

  test("is rejected if the radio rejects it, and does not disturb a join", async () => {
    const service = boot();
    service.provision(HOME.SSID, SECRET);
    air.radio?.disconnect();
    air.radio?.scan({ onFound() {}, onComplete() {} });
    await expect(service.scan()).rejects.toMatchObject({ code: "wifi_busy" });
    clock.advance(60_000);
    expect(service.status()).toEqual(JOINED);
  });

  test("ends after 10 s if the radio never ends it, with the networks found so far", async () => {
    const service = boot();
    const radio = air.radio as NonNullable<typeof air.radio>;
    radio.scan = ({ onFound }) => onFound({ SSID: "home", RSSI: -50, channel: 1, security: "none" });
    const found = service.scan();
    clock.advance(10_000);
    expect(await names(found)).toEqual(["home"]);
  });
});

test("A password is in no line of the log, no status, and no property of the service", async () => {
  const service = bootJoined();
  air.remove("home");
  clock.advance(100_000);
  service.provision(HOME.SSID, SECRET);
  const found = service.scan();
  clock.advance(100_000);
  const everything = JSON.stringify([lines, service.status(), await found]);
  expect(lines.length).toBeGreaterThan(3);
  expect(everything).not.toContain("horse");
});

test("A closed service has left its network, and does nothing more", () => {
  const service = bootJoined();
  void service.scan();
  service.close();
  service.close();
  expect(air.radio).toBeUndefined();
  clock.advance(100_000);
  expect([clock.timerCount, changes]).toEqual([0, []]);
});
