/** Reads a secret, without echo or history: the first line of standard input. */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { SvcError } from "../svc-error.js";

/**
 * @param prompt shown on a terminal, without echo of the input
 * @param signal cancels the prompt
 * @returns `""` if standard input has no line
 * @throws {SvcError} `cancelled` by the signal, and at a terminal by Ctrl-D
 */
export async function askSecret(prompt: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY, signal });
  if (stdin.isTTY) {
    stderr.write(prompt); // the input is not echoed
    lines.once("close", () => stderr.write("\n")); // replaces the line feed that was not echoed
  }
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT")); // readline intercepts Ctrl-C
  const line = await firstOf(lines);
  if (signal.aborted || (line === undefined && stdin.isTTY))
    throw new SvcError("cancelled", "No input", { advice: "Nothing was changed." });
  return line ?? "";
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
