/** `svc logs`: prints a console's log: the stored lines, or new lines as they come. */
import type { Device } from "../../device-client/device.js";
import { isSameApp } from "../../protocol/manifest/app-name.js";
import { LINES_LIMIT_BYTES, readTrapLines, type TrapLines } from "../../tools/trap-lines.js";
import type { Call, Command } from "../command.js";
import { isAtLeast, keptLog, LEVELS, logEntry, logText, sourceLine } from "../console/log.js";
import { loadClient } from "../device/client.js";
import { noteHeldPort } from "../device/held-ports.js";
import { readContent } from "../files.js";
import { SvcError } from "../svc-error.js";
import type { Output } from "../terminal/output.js";

export const logs: Command = Object.freeze<Command>({
  name: "logs",
  summary: "Show the log of a console, including earlier runs.",
  parameters: [],
  options: [
    { name: "follow", summary: "print new lines until Ctrl-C, across restarts of the console" },
    {
      name: "lines",
      value: "FILE",
      summary: "lines of an app's sources, written beside its package; shown where the app has trapped",
      isFile: true,
    },
    { name: "level", value: "LEVEL", summary: "lowest level to show", choices: LEVELS },
  ],
  isForConsole: true,
  notes: ["With --follow --json, each line is a JSON object."],
  async run(call) {
    const { lines } = call.values;
    const sources = lines === undefined ? undefined : await readSources(lines);
    return call.flags.has("follow") ? follow(call, sources) : show(call, sources);
  },
});

async function readSources(file: string): Promise<TrapLines> {
  const lines = readTrapLines((await readContent(file, LINES_LIMIT_BYTES)).toString());
  if (lines) return lines;
  throw new SvcError("lines_invalid", `Cannot use "${file}": it does not contain the lines of an app`);
}

async function show(
  { values: { level = "debug" }, device: find, output, signal }: Call,
  sources: TrapLines | undefined,
) {
  const device = await find();
  const kept = await keptLog(device, signal);
  if (sources) await checkVersion(device, sources, output);
  const lines = kept.lines.filter((line) => isAtLeast(line, level));
  const text = lines.map((line) => logText(sourceLine(line, sources), output.colors)).join("\n");
  const json = { ...kept, lines: sources ? lines.map((line) => sourceLine(line, sources)) : lines };
  return { ...(lines.length > 0 && { text }), json };
}

/** Offsets of another version have other lines. */
async function checkVersion(device: Device, { owner }: TrapLines, output: Output): Promise<void> {
  const installed = (await device.apps()).find(({ name }) => isSameApp(name, owner.app))?.version;
  if (installed !== undefined && installed !== owner.version)
    output.warn(`${owner.app} ${installed} is installed; the lines are those of ${owner.version}`);
}

async function follow(
  { values: { level = "debug" }, way: find, output, defer }: Call,
  sources: TrapLines | undefined,
): Promise<undefined> {
  const { DeviceLink } = await loadClient();
  const way = await find();
  let wasLost = false;
  const link = new DeviceLink({
    open: (attempt) => way.open(attempt),
    onLine: (line) => {
      if (isAtLeast(line, level))
        output.print({
          text: logText(sourceLine(line, sources), output.colors),
          json: logEntry(line, sources),
        });
    },
    onState: (state) => {
      if (state.phase === "waiting" && !wasLost)
        output.warn(`${state.error.message}; waiting for the console`);
      if (state.phase === "ready" && wasLost) output.note("the console is back");
      if (state.phase === "ready") void noteHeldPort(way.address, state.system.name);
      wasLost = state.phase === "waiting";
    },
  });
  defer(() => link.close());
  await link.start();
  const error = await link.ended; // also after Ctrl-C
  if (error) throw error;
}
