import { expect, test, vi } from "vitest";
import { readConfig } from "../../../../device/services/config/read-config.js";
import { consoleName } from "../../../../device/services/identity/identity.js";
import {
  NETWORK_WATCH_INTERVAL_MS,
  NetworkWatch,
  StatusService,
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

test("the status has the seven fields of docs/spec/management-api.md#status, with current values", () => {
  const clock = new EmulatedClock(5);
  const network = { address: "", rssi: 0 };
  const status = new StatusService({ system: emulatedSystem(), network, clock, firmware });
  clock.advance(10);
  expect(status.current()).toEqual({
    fw_version: "1.2.3",
    codename: "Test",
    uptime_ms: 15,
    free_heap_bytes: 600,
    wifi_ip: "",
    wifi_rssi: 0,
    bt_mode: "off",
  });
});

test("the status says what Bluetooth does", () => {
  const bluetooth = { mode: "off" as "off" | "advertising" };
  const network = { address: "", rssi: 0 };
  const clock = new EmulatedClock(5);
  const status = new StatusService({ system: emulatedSystem(), network, clock, firmware, bluetooth });
  expect(status.current()).toMatchObject({ bt_mode: "off" });
  bluetooth.mode = "advertising";
  expect(status.current()).toMatchObject({ bt_mode: "advertising" });
});

test("the system information omits what the board does not know", () => {
  const info = systemInfo({
    name: "Console-1A2B",
    system: emulatedSystem(),
    slots: new EmulatedStorage().slots,
    firmware,
    config: readConfig({}),
    webSocket: { port: 18081 },
    usb: { isConnected: true },
    hardware: BARE,
    isSafeMode: false,
    apps: { front: undefined },
  });
  expect(info).toMatchObject({
    cpu: { model: "none", cores: 1, load_percent: 7 },
    heap: { total_bytes: 1000, free_bytes: 600, minimum_free_bytes: 500 },
    storage: { total_bytes: 4000, free_bytes: 3000 },
    firmware: { version: "1.2.3", codename: "Test", slot: "a", state: "confirmed" },
    ws_port: 18081,
    usb_connected: true,
  });
  expect(info).not.toHaveProperty("psram");
  expect(info).not.toHaveProperty("safe_mode");
  expect(info).not.toHaveProperty("foreground");
  expect(info).not.toHaveProperty("cpu.frequency_mhz");
});

test("the system information lists the features of the build, then those of the hardware", () => {
  const { slots } = new EmulatedStorage();
  const featuresWith = (options: Record<string, string>, hardware: Hardware) =>
    systemInfo({
      ...{ name: "", system: emulatedSystem(), slots, firmware, webSocket: { port: 18081 } },
      ...{ hardware, config: readConfig(options), isSafeMode: false, apps: { front: undefined } },
      usb: { isConnected: false },
    }).features;
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

test("a console is named after the last four digits of its MAC, in upper case", () => {
  expect(consoleName("02:00:00:00:1a:2b")).toBe("Console-1A2B");
});
