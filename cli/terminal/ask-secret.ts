/** Reads a secret, without echo or history: the first line of standard input. */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { SvcError } from "../svc-error.js";

export interface AskedSecret {
  /** Such as `password`; a terminal shows it, and does not echo the input. */
  readonly what: string;
  /** That gives it instead, such as `--password PASSWORD`. */
  readonly option: string;
  /** Cancels the prompt. */
  readonly signal: AbortSignal;
}

/**
 * @returns the line, without the mark with which editors begin a file
 * @throws {SvcError} `wrong_usage` if standard input has no line; `cancelled` by the signal, and at a terminal by Ctrl-D
 */
export async function askSecret({ what, option, signal }: AskedSecret): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY, signal });
  if (stdin.isTTY) {
    stderr.write(`${what.charAt(0).toUpperCase()}${what.slice(1)}: `); // the input is not echoed
    lines.once("close", () => stderr.write("\n")); // replaces the line feed that was not echoed
  }
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT")); // readline intercepts Ctrl-C
  const line = await firstOf(lines);
  if (signal.aborted || (line === undefined && stdin.isTTY))
    throw new SvcError("cancelled", "No input", { advice: "Nothing was changed." });
  if (line === undefined)
    throw new SvcError("wrong_usage", `There is no ${what} on standard input`, {
      advice: `Give it with ${option}, or as a line of standard input.`,
    });
  return line.replace(/^\ufeff/, "");
}

function firstOf(lines: Interface): Promise<string | undefined> {
  return new Promise((resolve) => {
    lines.once("line", (line) => {
      resolve(line);
      lines.close();
    });
    lines.once("close", () => resolve(undefined));
  });
}
