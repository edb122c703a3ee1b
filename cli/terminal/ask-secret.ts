/** Reads a secret, without echo or history: the first line of standard input. */
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { SvcError } from "../svc-error.js";

/**
 * @param prompt for a terminal, which does not show what is typed
 * @param signal ends it at once
 * @returns `""` where standard input has no line
 * @throws {SvcError} `cancelled` by the signal, and at a terminal by Ctrl-D
 */
export async function askSecret(prompt: string, signal: AbortSignal): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY, signal });
  if (stdin.isTTY) {
    stderr.write(prompt); // which shows nothing from here on
    lines.once("close", () => stderr.write("\n")); // in the place of the one that was typed
  }
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT")); // which it has kept from us
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
