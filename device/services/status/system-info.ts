/** Body of `GET /api/system` (docs/spec/management-api.md#system). */
import type { Capacity, SystemInfo } from "../../../protocol/device/answers.js";
import {
  CHUNK_LIMIT_BYTES,
  CHUNK_LINE_LIMIT_BYTES,
  LINE_LIMIT_BYTES,
  SCRIPT_QUOTA_BYTES,
  SUGGESTED_CHUNK_BYTES,
} from "../../../protocol/limits.js";
import type { Drives } from "../../ports/drives.js";
import type { FirmwareSlots } from "../../ports/firmware-slots.js";
import type { CapacityFacts, CpuFacts, HeapFacts, System } from "../../ports/system.js";
import type { Config } from "../config/options.js";
import type { FirmwareFacts } from "../firmware/firmware-facts.js";

/** What hosts differ in. */
export interface Hardware {
  readonly drives: Pick<Drives, "slots">;
  /** Whether a hub may be at `https://`. */
  readonly hasTls: boolean;
  /** Whether there is a set-up access point. */
  readonly hasSetup: boolean;
  /** Whether what is played can be read. */
  readonly hasSound: boolean;
  readonly hasBluetooth: boolean;
}

export interface SystemInfoSources {
  readonly name: string;
  readonly system: System;
  readonly slots: FirmwareSlots;
  readonly firmware: FirmwareFacts;
  readonly config: Config;
  readonly servers: {
    readonly http: { readonly port: number };
    readonly webSocket: { readonly port: number };
    readonly usb: { readonly isConnected: boolean };
  };
  readonly hardware: Hardware;
  readonly isSafeMode: boolean;
  readonly apps: { readonly front: string | undefined; readonly cardApps: SystemInfo["card_apps"] };
}

/**
 * Collect the system information, measured now; values that a board cannot measure are left out.
 * @param isOwner whether the console's owner asks
 */
export function systemInfo(
  { name, system, slots, firmware, config, servers, hardware, isSafeMode, apps }: SystemInfoSources,
  isOwner: boolean,
): SystemInfo {
  const psram = system.psram?.();
  return {
    name,
    board: system.board,
    arch: system.architecture,
    mac: system.mac,
    cpu: cpuFields(system.cpu()),
    heap: heapFields(system.heap()),
    ...(psram && { psram: capacityFields(psram) }),
    storage: capacityFields(system.storage()),
    firmware: { version: firmware.version, codename: firmware.codename, ...slotFields(slots) },
    reset_reason: system.resetReason,
    ...(apps.front !== undefined && { foreground: apps.front }),
    ...(isSafeMode && { safe_mode: true as const }),
    http_port: servers.http.port,
    ws_port: servers.webSocket.port,
    home_buttons: isOwner || config.CONFIG_SVC_HOME_REMOTE,
    usb_connected: servers.usb.isConnected,
    ...(apps.cardApps && { card_apps: apps.cardApps }),
    limits: limits(config),
    features: [...features(config), ...hardwareFeatures(hardware)],
  };
}

function slotFields(slots: FirmwareSlots): Pick<SystemInfo["firmware"], "slot" | "state"> {
  const isPending = slots.record().phase === "trial";
  return { slot: slots.running, state: isPending ? "pending_confirm" : "confirmed" };
}

function cpuFields({ model, cores, frequencyMhz, loadPercent }: CpuFacts): SystemInfo["cpu"] {
  return {
    model,
    cores,
    ...(frequencyMhz !== undefined && { frequency_mhz: frequencyMhz }),
    load_percent: loadPercent,
  };
}

function heapFields({ totalBytes, freeBytes, minimumFreeBytes }: HeapFacts): SystemInfo["heap"] {
  return { total_bytes: totalBytes, free_bytes: freeBytes, minimum_free_bytes: minimumFreeBytes };
}

function capacityFields({ totalBytes, freeBytes }: CapacityFacts): Capacity {
  return { total_bytes: totalBytes, free_bytes: freeBytes };
}

function limits(config: Config): SystemInfo["limits"] {
  return {
    line_bytes: LINE_LIMIT_BYTES,
    chunk_line_bytes: CHUNK_LINE_LIMIT_BYTES,
    chunk_bytes: CHUNK_LIMIT_BYTES,
    suggested_chunk_bytes: SUGGESTED_CHUNK_BYTES,
    app_bytes: config.CONFIG_SVC_APP_MAX_SIZE_KB * 1024,
    running_apps: config.CONFIG_SVC_MAX_RUNNING_APPS,
    script_quota_bytes: SCRIPT_QUOTA_BYTES,
  };
}

function features(config: Config): string[] {
  const features = ["apps", "ota", "screen", "hub"];
  if (config.CONFIG_SVC_SHELL_WEB_CMD_ENABLE) features.push("shell");
  if (config.CONFIG_SVC_HTTP_AUTH) features.push("auth");
  if (config.CONFIG_SVC_ALLOW_UNSIGNED_APPS) features.push("unsigned_apps");
  return features;
}

/** By the names that `features` has. */
const DRIVE_FEATURES = Object.freeze({ sd: "sd", usb: "usb_drive" });

function hardwareFeatures({ drives, hasTls, hasSetup, hasSound, hasBluetooth }: Hardware): string[] {
  const features = drives.slots.map((slot): string => DRIVE_FEATURES[slot]);
  if (hasTls) features.push("tls");
  if (hasSetup) features.push("setup_ap");
  if (hasSound) features.push("sound");
  if (hasBluetooth) features.push("bluetooth");
  return features;
}
