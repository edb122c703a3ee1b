/** `svc shell`: runs a console's shell for one command, for commands from a pipe, or at a prompt. */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import type { ShellAnswer } from "../../protocol/device/answers.js";
import { makeDirectory } from "../../tools/files.js";
import type { Call, Command } from "../command.js";
import { RemoteShell } from "../console/restart.js";
import { codeOf, deviceError } from "../device/client.js";
import type { Outcome } from "../terminal/output.js";
import { printableLines } from "../terminal/printable.js";
import { stateDirectory } from "../user-directories.js";

export const shell: Command = Object.freeze<Command>({
  name: "shell",
  summary: "Run commands in a console's shell.",
  parameters: [
    {
      name: "COMMAND",
      summary: "command such as `help`; default: open a prompt, or run each line of standard input",
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [],
  isForConsole: true,
  takesUnknownOptions: true,
  notes: [
    "Other options belong to COMMAND, as in `svc shell cat -x`; after `--` all do, as in `svc shell -- app --help`.",
    "After a command that restarts the console, svc waits until the console is back.",
    "At the prompt, Tab completes the first word; Ctrl-D or `exit` leaves it.",
  ],
  run: perform,
});

/** Codes that end the prompt: the console is no longer reachable, or has no shell. */
const FATAL = Object.freeze([
  "device_lost",
  "device_unreachable",
  "not_a_console",
  "unauthorized",
  "shell_disabled",
]);

async function perform(call: Call): Promise<Outcome | undefined> {
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

/** Joins the words that the user's shell has split; the console's shell accepts double quotes. */
function lineOf(words: readonly string[]): string {
  const [first = "", ...others] = words;
  if (others.length === 0) return first;
  return words
    .map((word) => (/^[^\s"']+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`))
    .join(" ");
}

/** @param answer its output usually ends with a line feed */
function outcomeOf(answer: ShellAnswer) {
  const text = printableLines(answer.output).replace(/\n$/, "");
  return { ...(text !== "" && { text }), json: answer };
}

/** A failed command does not stop the others; the first failure determines the exit status. */
async function eachLine({ output, defer }: Call, remote: RemoteShell): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  defer(() => lines.close());
  let refusal: Error | undefined;
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const answer = await remote.perform(line.trim());
    output.print(outcomeOf(answer));
    if (answer.error !== undefined)
      refusal ??= await deviceError(answer.error, `The console refused "${line.trim()}"`);
  }
  if (refusal) throw refusal;
}

async function prompt({ output, defer }: Call, remote: RemoteShell): Promise<void> {
  const words = await commandWords(remote);
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    history: await readHistory(),
    prompt: "> ",
    completer: (typed: string) => [words.filter((word) => word.startsWith(typed)), typed],
  });
  defer(() => lines.close());
  lines.on("SIGINT", () => {
    process.stdout.write("^C\n");
    Object.assign(lines, { line: "", cursor: 0 });
    lines.prompt();
  });
  let isOpen = true;
  lines.once("close", () => {
    if (isOpen) process.stdout.write("\n"); // Ctrl-D leaves no trace on the terminal
    isOpen = false;
  });
  lines.on("history", (history: string[]) => void keepHistory(history));
  lines.prompt();
  for await (const line of lines) {
    if (["exit", "quit"].includes(line.trim())) {
      isOpen = false;
      break;
    }
    if (line.trim() !== "") await answer(output, remote, line.trim());
    if (isOpen) lines.prompt(); // would reopen a closed terminal
  }
  lines.close();
}

/** A failed command does not end the prompt. */
async function answer(output: Call["output"], remote: RemoteShell, line: string): Promise<void> {
  try {
    output.print(outcomeOf(await remote.perform(line)));
  } catch (error) {
    if (FATAL.includes(codeOf(error) ?? "")) throw error;
    output.fail(error);
  }
}

/** @returns the commands that `help` lists */
async function commandWords(remote: RemoteShell): Promise<string[]> {
  const { output } = await remote.perform("help");
  const usages = output.split("\n").map((line) => line.split(/\s{2,}/)[0] ?? "");
  return [
    ...new Set(
      usages.map((usage) => usage.replace(/\s*[<[A-Z].*$/, "").trim()).filter((word) => word !== ""),
    ),
  ];
}

const LINES = 500;

/** @throws {Error} for a user without a home directory */
function historyFile(): string {
  const directory = stateDirectory();
  if (directory === undefined) throw new Error("There is no home directory");
  return path.join(directory, "shell-history");
}

async function readHistory(): Promise<string[]> {
  try {
    const text = await readFile(historyFile(), "utf8");
    return text.split("\n").filter((line) => line !== "");
  } catch {
    return []; // first use, or an unreadable file
  }
}

async function keepHistory(lines: readonly string[]): Promise<void> {
  try {
    const file = historyFile();
    await makeDirectory(path.dirname(file), { mode: 0o700 });
    await writeFile(file, `${lines.slice(0, LINES).join("\n")}\n`, { mode: 0o600 });
  } catch {
    // A session without a history is better than none.
  }
}
