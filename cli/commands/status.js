/** `svc status`, `svc system`: show a console's identity and state. */

import { bytesText, capacityText, durationText } from "../terminal/units.js";
import { textTable } from "../text-table.js";

/** @typedef {import("../../protocol/device/answers.ts").SystemInfo} SystemInfo */
/** @typedef {import("../../protocol/device/answers.ts").DeviceStatus} DeviceStatus */

/** @type {import("../command.js").Command} */
export const status = Object.freeze({
  name: "status",
  summary: "Says how a console does: firmware, uptime, memory, network.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device, signal }) {
    const answer = await (await device()).status(signal);
    return { text: textTable(statusRows(answer)), json: answer };
  },
});

/** @type {import("../command.js").Command} */
export const system = Object.freeze({
  name: "system",
  summary: "Says what a console is: board, processor, memory, storage, limits.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device, signal }) {
    const answer = await (await device()).system(signal);
    return { text: textTable(systemRows(answer)), json: answer };
  },
});

/** @param {DeviceStatus} status */
function statusRows({ fw_version, codename, uptime_ms, free_heap_bytes, wifi_ip, wifi_rssi, bt_mode }) {
  const strength = wifi_rssi === 0 ? "" : `, ${wifi_rssi} dBm`;
  return [
    ["Firmware", `${fw_version} (${codename})`],
    ["Up for", durationText(uptime_ms)],
    ["Free memory", bytesText(free_heap_bytes)],
    ["Network", wifi_ip === "" ? "none" : `${wifi_ip}${strength}`],
    ["Bluetooth", bt_mode],
  ];
}

/** @param {SystemInfo} system */
function systemRows({ name, board, arch, mac, cpu, heap, psram, storage, firmware, ...others }) {
  const frequency = cpu.frequency_mhz === undefined ? "" : `, ${cpu.frequency_mhz} MHz`;
  const trial = firmware.state === "pending_confirm" ? ", on trial" : "";
  return [
    ["Name", name],
    ["Board", `${board} (${arch})`],
    ["MAC address", mac],
    ["Processor", `${cpu.model}, ${cpu.cores} ${cpu.cores === 1 ? "core" : "cores"}${frequency}`],
    ["Load", `${cpu.load_percent} %`],
    ["Memory", `${capacityText(heap)}, ${bytesText(heap.minimum_free_bytes)} at the least`],
    ...(psram ? [["PSRAM", capacityText(psram)]] : []),
    ["Storage", capacityText(storage)],
    ["Firmware", `${firmware.version} (${firmware.codename}) in slot ${firmware.slot}${trial}`],
    ["Started by", `${others.reset_reason.replaceAll("_", " ")}${others.safe_mode ? ", in safe mode" : ""}`],
    ["Largest app", bytesText(others.limits.app_bytes)],
    ["Running apps", `${others.limits.running_apps} at a time`],
    ["Features", others.features.join(", ")],
  ];
}
