/** `svc logs`: prints a console's log: the stored lines, or new lines as they come. */
import { keptLog } from "../console/kept-log.js";
import { isAtLeast, LEVELS, logEntry, logText } from "../console/log-line.js";
import { loadClient } from "../device/client.js";

/** @typedef {import("../command.js").Call} Call */

/** @type {import("../command.js").Command} */
export const logs = Object.freeze({
  name: "logs",
  summary: "Shows the log of a console, with what earlier runs have left behind.",
  parameters: [],
  options: [
    { name: "follow", summary: "goes on until Ctrl-C, also over restarts of the console" },
    { name: "level", value: "LEVEL", summary: "the least that is shown", choices: LEVELS },
  ],
  isForConsole: true,
  notes: ["With --follow --json each line is an object of its own."],
  run: (call) => (call.flags.has("follow") ? follow(call) : show(call)),
});

/** @param {Call} call */
async function show({ values: { level = "debug" }, device, output, signal }) {
  const kept = await keptLog(await device(), signal);
  const lines = kept.lines.filter((line) => isAtLeast(line, level));
  const text = lines.map((line) => logText(line, output.colors)).join("\n");
  return { ...(lines.length > 0 && { text }), json: { ...kept, lines } };
}

/** @param {Call} call @returns {Promise<undefined>} */
async function follow({ values: { level = "debug" }, way: find, output, defer }) {
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
        output.warn(`${state.error.message}; waiting until it is back`);
      if (state.phase === "ready" && wasLost) output.note("the console is back");
      wasLost = state.phase === "waiting";
    },
  });
  defer(() => link.close());
  await link.start();
  const error = await link.ended; // which Ctrl-C brings about, too
  if (error) throw error;
}
