/** `svc discover`: lists the consoles at USB ports and in the network. */
import type { Command } from "../command.js";
import { searchNetwork } from "../device/network-search.js";
import { askPorts, consolePorts } from "../device/usb-search.js";
import { SvcError } from "../svc-error.js";
import { textTable } from "../terminal/format.js";

interface FoundConsole {
  readonly name: string;
  /** Addresses for `--device`, USB first. */
  readonly addresses: string[];
  fw_version?: string;
}

const DEFAULT_MS = 1500;
const LIMIT_MS = 60_000;

export const discover: Command = Object.freeze<Command>({
  name: "discover",
  summary: "List the consoles at USB ports and in the local network.",
  parameters: [],
  options: [
    {
      name: "timeout-ms",
      value: "MS",
      summary: `how long to wait for answers, in milliseconds; default: ${DEFAULT_MS}`,
    },
  ],
  notes: ["Opens only serial ports that look like a console's."],
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
    return { text: devices.length > 0 ? textTable(rows) : "no console found", json: { devices } };
  },
});

async function atPorts(signal: AbortSignal) {
  const answers = await askPorts(await consolePorts(), signal);
  const found = answers.filter((answer) => answer.kind === "found");
  await Promise.all(found.map(({ transport }) => transport.close()));
  return { found, closed: answers.filter((answer) => answer.kind === "closed") };
}

/** Merges the entries of a console that is found both ways. */
function merged(found: readonly { name: string; address: string; fwVersion?: string }[]): FoundConsole[] {
  const consoles: Map<string, FoundConsole> = new Map();
  for (const { name, address, fwVersion } of found) {
    const known = consoles.get(name) ?? { name, addresses: [] };
    known.addresses.push(address);
    if (fwVersion !== undefined) known.fw_version ??= fwVersion;
    consoles.set(name, known);
  }
  return [...consoles.values()];
}

function readTimeout(text: string | undefined): number {
  if (text === undefined) return DEFAULT_MS;
  const timeoutMs = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (timeoutMs > 0 && timeoutMs <= LIMIT_MS) return timeoutMs;
  throw new SvcError("wrong_usage", `--timeout-ms takes 1 to ${LIMIT_MS} milliseconds, not "${text}"`);
}
