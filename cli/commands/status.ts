/**
 * `svc status`, `svc system` and `svc reboot`: show the state and hardware of a console, and restart it.
 */
import type { DeviceStatus, SystemInfo } from "../../protocol/device/answers.js";
import type { Call, Command } from "../command.js";
import { restart } from "../console/restart.js";
import { SvcError } from "../svc-error.js";
import { bytesText, capacityText, durationText, textTable } from "../terminal/format.js";
import type { Outcome } from "../terminal/output.js";

export const status: Command = Object.freeze<Command>({
  name: "status",
  summary: "Show the status of a console: firmware, uptime, memory, network.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device, signal }) {
    const answer = await (await device()).status(signal);
    return { text: textTable(statusRows(answer)), json: answer };
  },
});

export const system: Command = Object.freeze<Command>({
  name: "system",
  summary: "Show the hardware and limits of a console: board, processor, memory, storage.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device, signal }) {
    const answer = await (await device()).system(signal);
    return { text: textTable(systemRows(answer)), json: answer };
  },
});

function statusRows({
  fw_version,
  codename,
  uptime_ms,
  free_heap_bytes,
  wifi_ip,
  wifi_rssi,
  bt_mode,
}: DeviceStatus): string[][] {
  const strength = wifi_rssi === 0 ? "" : `, ${wifi_rssi} dBm`;
  return [
    ["Firmware", `${fw_version} (${codename})`],
    ["Uptime", durationText(uptime_ms)],
    ["Free memory", bytesText(free_heap_bytes)],
    ["Network", wifi_ip === "" ? "none" : `${wifi_ip}${strength}`],
    ["Bluetooth", bt_mode],
  ];
}

function systemRows({
  name,
  board,
  arch,
  mac,
  cpu,
  heap,
  psram,
  storage,
  firmware,
  ...others
}: SystemInfo): string[][] {
  const frequency = cpu.frequency_mhz === undefined ? "" : `, ${cpu.frequency_mhz} MHz`;
  const trial = firmware.state === "pending_confirm" ? ", on trial" : "";
  return [
    ["Name", name],
    ["Board", `${board} (${arch})`],
    ["MAC address", mac],
    ["Processor", `${cpu.model}, ${cpu.cores} ${cpu.cores === 1 ? "core" : "cores"}${frequency}`],
    ["Load", `${cpu.load_percent} %`],
    ["Memory", `${capacityText(heap)}, at least ${bytesText(heap.minimum_free_bytes)} since the start`],
    ...(psram ? [["PSRAM", capacityText(psram)]] : []),
    ["Storage", capacityText(storage)],
    ["Firmware", `${firmware.version} (${firmware.codename}) in slot ${firmware.slot}${trial}`],
    ["Started by", `${others.reset_reason.replaceAll("_", " ")}${others.safe_mode ? ", in safe mode" : ""}`],
    ["Largest app", bytesText(others.limits.app_bytes)],
    ["Running apps", `${others.limits.running_apps} at a time`],
    ["Features", others.features.join(", ")],
  ];
}

export const reboot: Command = Object.freeze<Command>({
  name: "reboot",
  summary: "Restart a console.",
  parameters: [],
  options: [
    { name: "wait", summary: "wait until the console is back" },
    { name: "loader", summary: "restart into the chip's loader, to flash the board over this cable" },
  ],
  isForConsole: true,
  async run(call) {
    if (call.flags.has("loader")) return rebootToLoader(call);
    const device = await call.device();
    if (!call.flags.has("wait")) {
      return { text: "the console restarts", json: await device.reboot() };
    }
    const beginMs = performance.now();
    const status = await (await restart(call, device)).status(call.signal);
    const took = durationText(performance.now() - beginMs);
    return { text: `the console is back after ${took}; it runs firmware ${status.fw_version}`, json: status };
  },
});

async function rebootToLoader({ device, flags }: Call): Promise<Outcome> {
  if (flags.has("wait")) throw new SvcError("wrong_usage", "Cannot use both --loader and --wait");
  const json = await (await device()).rebootToLoader();
  const text =
    "the console restarts into its chip's loader: flash it at its new port, or press RESET to start it";
  return { text, json };
}
