/** Describes the console's codes and figures in words. */
import type { DeviceStatus, SystemInfo, WifiFailure, WifiStatus } from "../../../protocol/device/answers.js";

export const RESET_REASONS: Readonly<Record<SystemInfo["reset_reason"], string>> = Object.freeze({
  power_on: "Power-on",
  software: "Request to restart",
  watchdog: "Watchdog, after it hung",
  crash: "Crash",
  update: "Update, into new firmware",
  rollback: "Rollback: the new firmware was not confirmed",
});

export const ARCHITECTURES: Readonly<Record<SystemInfo["arch"], string>> = Object.freeze({
  xtensa: "Xtensa",
  arm: "Arm",
  rv32: "RISC-V, 32 bits",
  native: "Native, it is simulated",
});

export const BLUETOOTH: Readonly<Record<DeviceStatus["bt_mode"], string>> = Object.freeze({
  off: "Off",
  advertising: "Can be found",
  connected: "Connected",
});

export const WIFI_FAILURES: Readonly<Record<WifiFailure, string>> = Object.freeze({
  not_found: "The network was not found. Check its name, and that it is in range.",
  wrong_password: "The password is wrong.",
  refused: "The network rejected the console.",
  lost: "The network was lost.",
  no_address: "The network did not assign an address to the console.",
  timeout: "Joining took too long.",
});

export function wifiInWords({ state, ssid }: WifiStatus): string {
  switch (state) {
    case "unprovisioned":
      return "No network has been set up";
    case "joining":
      return `Joining ${ssid} …`;
    case "joined":
      return `In ${ssid}`;
    case "waiting":
      return `Not connected to ${ssid}; retrying`;
  }
}

/** @param dbm below 0; 0 for a wired network */
export function signalInWords(dbm: number): string {
  if (dbm === 0) return "By wire";
  return `${signalQuality(dbm)}, ${dbm} dBm`;
}

function signalQuality(dbm: number): string {
  if (dbm >= -60) return "Strong";
  return dbm >= -75 ? "Good" : "Weak";
}
