/** `svc shell`: runs a console's shell for one command, for commands from a pipe, or at a prompt. */
import { createInterface } from "node:readline";
import { RemoteShell } from "../console/remote-shell.js";
import { codeOf, deviceError } from "../device/client.js";
import { printableLines } from "../terminal/printable.js";
import { keepHistory, readHistory } from "../terminal/shell-history.js";

/** @typedef {import("../command.js").Call} Call */
/** @typedef {import("../../protocol/device/answers.ts").ShellAnswer} ShellAnswer */

/** @type {import("../command.js").Command} */
export const shell = Object.freeze({
  name: "shell",
  summary: "Has a console's own shell do a command, or many.",
  parameters: [
    {
      name: "COMMAND",
      summary: "such as `help`; left out: a prompt, or each line of what is not typed",
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [],
  isForConsole: true,
  takesUnknownOptions: true,
  notes: [
    "Options that are none of these belong to COMMAND: `svc shell cat -x`. All of them do after `--`: `svc shell -- app --help`.",
    "A command that restarts the console is waited for before the next one.",
    "At the prompt Tab completes the first word, and Ctrl-D or `exit` ends it.",
  ],
  run: perform,
});

/** After these the way to the console is gone, and with it the shell. */
const FATAL = Object.freeze([
  "device_lost",
  "device_unreachable",
  "not_a_console",
  "unauthorized",
  "shell_disabled",
]);

/** @param {Call} call @returns {Promise<import("../command.js").Outcome | undefined>} */
async function perform(call) {
  const { COMMAND: words = [] } = call.lists;
  if (words.length > 0) {
    const line = lineOf(words);
    const answer = await (await call.device()).shell(line);
    call.output.print(outcomeOf(answer));
    if (answer.error !== undefined) throw await deviceError(answer.error, `The console refused "${line}"`);
    return undefined;
  }
  const remote = new RemoteShell(call, await call.device());
  if (process.stdin.isTTY && process.stdout.isTTY && !call.output.isJson) await prompt(call, remote);
  else await eachLine(call, remote);
  return undefined;
}

/** Words that the user's own shell has taken apart; the console's takes double quotes. @param {readonly string[]} words */
function lineOf(words) {
  const [first = "", ...others] = words;
  if (others.length === 0) return first;
  return words
    .map((word) => (/^[^\s"']+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`))
    .join(" ");
}

/** @param {ShellAnswer} answer its output mostly has a line feed at its end */
function outcomeOf(answer) {
  const text = printableLines(answer.output).replace(/\n$/, "");
  return { ...(text !== "" && { text }), json: answer };
}

/** A refused command does not end the others, and the first one decides how `svc` ends. @param {Call} call @param {RemoteShell} remote */
async function eachLine({ output, defer }, remote) {
  const lines = createInterface({ input: process.stdin });
  defer(() => lines.close());
  let refusal;
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const answer = await remote.perform(line.trim());
    output.print(outcomeOf(answer));
    if (answer.error !== undefined)
      refusal ??= await deviceError(answer.error, `The console refused "${line.trim()}"`);
  }
  if (refusal) throw refusal;
}

/** @param {Call} call @param {RemoteShell} remote */
async function prompt({ output, defer }, remote) {
  const words = await commandWords(remote);
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    history: await readHistory(),
    prompt: "> ",
    completer: (/** @type {string} */ typed) => [words.filter((word) => word.startsWith(typed)), typed],
  });
  defer(() => lines.close());
  lines.on("SIGINT", () => {
    process.stdout.write("^C\n");
    Object.assign(lines, { line: "", cursor: 0 });
    lines.prompt();
  });
  let isOpen = true;
  lines.once("close", () => {
    if (isOpen) process.stdout.write("\n"); // Ctrl-D, which nothing shows
    isOpen = false;
  });
  lines.on("history", (/** @type {string[]} */ history) => void keepHistory(history));
  lines.prompt();
  for await (const line of lines) {
    if (["exit", "quit"].includes(line.trim())) {
      isOpen = false;
      break;
    }
    if (line.trim() !== "") await answer(output, remote, line.trim());
    if (isOpen) lines.prompt(); // which would open the terminal again
  }
  lines.close();
}

/** One that fails does not end the prompt. @param {Call["output"]} output @param {RemoteShell} remote @param {string} line */
async function answer(output, remote, line) {
  try {
    output.print(outcomeOf(await remote.perform(line)));
  } catch (error) {
    if (FATAL.includes(codeOf(error) ?? "")) throw error;
    output.fail(error);
  }
}

/** The commands that `help` lists, a line each. @param {RemoteShell} remote @returns {Promise<string[]>} */
async function commandWords(remote) {
  const { output } = await remote.perform("help");
  const usages = output.split("\n").map((line) => line.split(/\s{2,}/)[0] ?? "");
  return [
    ...new Set(
      usages.map((usage) => usage.replace(/\s*[<[A-Z].*$/, "").trim()).filter((word) => word !== ""),
    ),
  ];
}
