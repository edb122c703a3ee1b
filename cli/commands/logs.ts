/** `svc logs`: prints a console's log: the stored lines, or new lines as they come. */
import type { Call, Command } from "../command.js";
import { isAtLeast, keptLog, LEVELS, logEntry, logText } from "../console/log.js";
import { loadClient } from "../device/client.js";

export const logs: Command = Object.freeze<Command>({
  name: "logs",
  summary: "Show the log of a console, including earlier runs.",
  parameters: [],
  options: [
    { name: "follow", summary: "print new lines until Ctrl-C, across restarts of the console" },
    { name: "level", value: "LEVEL", summary: "lowest level to show", choices: LEVELS },
  ],
  isForConsole: true,
  notes: ["With --follow --json, each line is a JSON object."],
  run: (call) => (call.flags.has("follow") ? follow(call) : show(call)),
});

async function show({ values: { level = "debug" }, device, output, signal }: Call) {
  const kept = await keptLog(await device(), signal);
  const lines = kept.lines.filter((line) => isAtLeast(line, level));
  const text = lines.map((line) => logText(line, output.colors)).join("\n");
  return { ...(lines.length > 0 && { text }), json: { ...kept, lines } };
}

async function follow({ values: { level = "debug" }, way: find, output, defer }: Call): Promise<undefined> {
  const { DeviceLink } = await loadClient();
  const way = await find();
  let wasLost = false;
  const link = new DeviceLink({
    open: (attempt) => way.open(attempt),
    onLine: (line) => {
      if (isAtLeast(line, level)) output.print({ text: logText(line, output.colors), json: logEntry(line) });
    },
    onState: (state) => {
      if (state.phase === "waiting" && !wasLost)
        output.warn(`${state.error.message}; waiting for the console`);
      if (state.phase === "ready" && wasLost) output.note("the console is back");
      wasLost = state.phase === "waiting";
    },
  });
  defer(() => link.close());
  await link.start();
  const error = await link.ended; // also after Ctrl-C
  if (error) throw error;
}
