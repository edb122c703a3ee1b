/** `svc discover`: lists the consoles at USB ports and in the network. */

import { searchNetwork } from "../device/network-search.js";
import { askPorts, consolePorts } from "../device/usb-search.js";
import { SvcError } from "../svc-error.js";
import { textTable } from "../text-table.js";

/**
 * @typedef {object} FoundConsole
 * @property {string} name
 * @property {string[]} addresses each of them for `--device`, USB first
 * @property {string} [fw_version]
 */

const DEFAULT_MS = 1500;
const LIMIT_MS = 60_000;

/** @type {import("../command.js").Command} */
export const discover = Object.freeze({
  name: "discover",
  summary: "Lists the consoles at USB ports and in the network.",
  parameters: [],
  options: [
    { name: "timeout-ms", value: "MS", summary: `how long to wait for answers; ${DEFAULT_MS} when left out` },
  ],
  notes: ["Serial ports are opened only where they look like a console's."],
  async run({ values: { timeoutMs }, output, signal }) {
    const forMs = readTimeout(timeoutMs);
    const [plugged, found] = await Promise.all([atPorts(signal), searchNetwork({ forMs, signal })]);
    for (const { address, error } of plugged.closed) output.warn(`${address}: ${error.message}`);
    const devices = merged([...plugged.found, ...found]);
    const rows = devices.map(({ name, fw_version = "", addresses }) => [
      name,
      fw_version,
      addresses.join(" "),
    ]);
    return { text: devices.length > 0 ? textTable(rows) : "no console was found", json: { devices } };
  },
});

/** @param {AbortSignal} signal */
async function atPorts(signal) {
  const answers = await askPorts(await consolePorts(), signal);
  const found = answers.filter((answer) => answer.kind === "found");
  await Promise.all(found.map(({ transport }) => transport.close()));
  return { found, closed: answers.filter((answer) => answer.kind === "closed") };
}

/**
 * One console that is found in two ways is one.
 *
 * @param {readonly { name: string, address: string, fwVersion?: string }[]} found
 * @returns {FoundConsole[]}
 */
function merged(found) {
  /** @type {Map<string, FoundConsole>} */
  const consoles = new Map();
  for (const { name, address, fwVersion } of found) {
    const known = consoles.get(name) ?? { name, addresses: [] };
    known.addresses.push(address);
    if (fwVersion !== undefined) known.fw_version ??= fwVersion;
    consoles.set(name, known);
  }
  return [...consoles.values()];
}

/** @param {string | undefined} text */
function readTimeout(text) {
  if (text === undefined) return DEFAULT_MS;
  const timeoutMs = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (timeoutMs > 0 && timeoutMs <= LIMIT_MS) return timeoutMs;
  throw new SvcError("wrong_usage", `--timeout-ms takes 1 to ${LIMIT_MS} milliseconds, not "${text}"`);
}
