import { describe, expect, test, vi } from "vitest";
import { readConfig } from "../../../../device/services/config/read-config.js";
import { Restart } from "../../../../device/services/restart/restart.js";
import {
  NETWORK_WATCH_INTERVAL_MS,
  NetworkWatch,
  rebootToLoader,
} from "../../../../device/services/status/status-service.js";
import { type Hardware, systemInfo } from "../../../../device/services/status/system-info.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { EmulatedStorage } from "../../../hosts/emulated-storage.js";
import { emulatedSystem } from "../../../hosts/emulated-system.js";

const BARE: Hardware = {
  drives: { slots: [] },
  hasTls: false,
  hasSetup: false,
  hasSound: false,
  hasBluetooth: false,
};
const firmware = { version: "1.2.3", codename: "Test" };

test("the system information omits what the board does not know", () => {
  const info = systemInfo(
    {
      name: "Console-1A2B",
      system: emulatedSystem(),
      slots: new EmulatedStorage().slots,
      firmware,
      config: readConfig({}),
      servers: { http: { port: 18080 }, webSocket: { port: 18081 }, usb: { isConnected: true } },
      hardware: BARE,
      isSafeMode: false,
      apps: { front: undefined, cardApps: undefined },
    },
    false,
  );
  expect(info).toMatchObject({
    cpu: { model: "none", cores: 1, load_percent: 7 },
    heap: { total_bytes: 1000, free_bytes: 600, minimum_free_bytes: 500 },
    storage: { total_bytes: 4000, free_bytes: 3000 },
    firmware: { version: "1.2.3", codename: "Test", slot: "a", state: "confirmed" },
    http_port: 18080,
    ws_port: 18081,
    home_buttons: false,
    usb_connected: true,
  });
  expect(info).not.toHaveProperty("psram");
  expect(info).not.toHaveProperty("card_apps");
  expect(info).not.toHaveProperty("safe_mode");
  expect(info).not.toHaveProperty("foreground");
  expect(info).not.toHaveProperty("cpu.frequency_mhz");
});

test("the system information lists the features of the build, then those of the hardware", () => {
  const { slots } = new EmulatedStorage();
  const featuresWith = (options: Record<string, string>, hardware: Hardware) =>
    systemInfo(
      {
        name: "",
        system: emulatedSystem(),
        slots,
        firmware,
        servers: { http: { port: 18080 }, webSocket: { port: 18081 }, usb: { isConnected: false } },
        hardware,
        config: readConfig(options),
        isSafeMode: false,
        apps: { front: undefined, cardApps: undefined },
      },
      true,
    ).features;
  const options = { CONFIG_SVC_HTTP_AUTH: "on", CONFIG_SVC_SHELL_WEB_CMD_ENABLE: "off" };
  const card = {
    drives: { slots: ["sd"] },
    hasTls: true,
    hasSetup: false,
    hasSound: false,
    hasBluetooth: false,
  } as const;
  const both = {
    drives: { slots: ["sd", "usb"] },
    hasTls: false,
    hasSetup: true,
    hasSound: true,
    hasBluetooth: true,
  } as const;
  expect(featuresWith({}, BARE)).toEqual(["apps", "ota", "screen", "hub", "shell"]);
  expect(featuresWith(options, card)).toEqual(["apps", "ota", "screen", "hub", "auth", "sd", "tls"]);
  expect(featuresWith({}, both)).toEqual([
    "apps",
    "ota",
    "screen",
    "hub",
    "shell",
    "sd",
    "usb_drive",
    "setup_ap",
    "sound",
    "bluetooth",
  ]);
});

test("NetworkWatch notifies once that the address has changed", () => {
  const clock = new EmulatedClock();
  const network = { address: "192.0.2.1", rssi: 0 };
  const onChange = vi.fn();
  const watch = new NetworkWatch({ network, timer: clock, onChange });
  clock.advance(NETWORK_WATCH_INTERVAL_MS * 3);
  expect(onChange).not.toHaveBeenCalled();
  network.address = "";
  clock.advance(NETWORK_WATCH_INTERVAL_MS * 3);
  expect(onChange).toHaveBeenCalledTimes(1);
  watch.close();
  expect(clock.timerCount).toBe(0);
});

describe("a restart into the chip's loader", () => {
  const ask = (facts: Parameters<typeof emulatedSystem>[0]) => {
    const system = emulatedSystem(facts);
    const restart = new Restart(system, { info() {}, warning() {}, error() {}, debug() {} });
    return { system, restart, answer: () => rebootToLoader({ restart, system }) };
  };

  test("is selected before the answer, and comes after it", () => {
    const selectLoader = vi.fn(() => true);
    const { system, restart, answer } = ask({ selectLoader });
    const { body, onSent } = answer();
    expect([body, selectLoader.mock.calls.length, system.restarts()]).toEqual([{ rebooting: true }, 1, 0]);
    expect(restart.isRequested).toBe(true);
    onSent?.();
    expect(system.restarts()).toBe(1);
  });

  test.each([
    { on: "a host without a loader", facts: {} },
    { on: "a board whose restart does not lead there", facts: { selectLoader: () => false } },
  ])("is refused on $on, which goes on", ({ facts }) => {
    const { restart, answer } = ask(facts);
    expect(answer).toThrow(expect.objectContaining({ code: "not_implemented" }));
    expect(restart.isRequested).toBe(false);
  });
});
