/**
 * Output of `svc app dev`. Users see a line per important event and the app's log; programs get one event per line.
 */

import { readTrapLines, type TrapLines } from "../../tools/trap-lines.js";
import { adviceOf } from "../advice.js";
import { logEntry, sourceLine } from "../console/log.js";
import type { Output } from "../terminal/output.js";
import { printable, printableLines } from "../terminal/printable.js";
import type { LogLine } from "./app-log.js";
import type { SignedApp } from "./dev-loop.js";

export class DevReport {
  #output;
  /** Of the sources of the app that runs. */
  #lines: TrapLines | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  ready(name: string, address: string): void {
    this.#report("ready", { device: name, address }, `connected to ${name} at ${address}`);
  }

  /** The page that runs the app is there to be opened. */
  serving(address: string): void {
    this.#report("ready", { address }, `open ${address} in a browser`);
  }

  away(name: string, { code, message }: { code: string; message: string }): void {
    const text = `lost ${name} (${message}); waiting for it`;
    this.#report("away", { device: name, error: code, message }, this.#output.colors.yellow(text));
  }

  built({ name, version, file, savedAt }: Omit<SignedApp, "signature" | "lines">): void {
    this.#report("built", { name, version, bytes: file.length, after_ms: since(savedAt) });
  }

  installed({ name, version, savedAt }: SignedApp): void {
    this.#report("installed", { name, version, after_ms: since(savedAt) });
  }

  /** The app that is started next; its log follows. */
  starting({ lines }: Pick<SignedApp, "lines">): void {
    this.#lines = lines === undefined ? undefined : readTrapLines(lines);
  }

  started({ name, version, file, savedAt }: SignedApp, isAgain: boolean): void {
    if (isAgain) {
      this.#report("started", { name, version, is_again: true }, `${name} ${version} restarted`);
      return;
    }
    const afterMs = since(savedAt);
    const text = `${name} ${version} runs, ${file.length} bytes, after ${(afterMs / 1000).toFixed(2)} s`;
    this.#report("started", { name, version, after_ms: afterMs }, this.#output.colors.green(text));
  }

  /** The app runs in a page. */
  playing({ name, version }: { name: string; version: string }, savedAt: number): void {
    const afterMs = since(savedAt);
    const text = `${name} ${version} runs in the browser`;
    this.#report("started", { name, version, after_ms: afterMs }, this.#output.colors.green(text));
  }

  log({ line, level }: LogLine): void {
    const { colors } = this.#output;
    const colour = level === "E" ? colors.red : level === "W" ? colors.yellow : String;
    this.#report("log", logEntry(line, this.#lines), colour(printable(sourceLine(line, this.#lines))));
  }

  failed(stage: string, error: unknown): void {
    const { code, message, said, sources } = error as {
      code?: string;
      message: string;
      said?: string;
      sources?: string;
    };
    const advice = adviceOf(error);
    const fields = { stage, error: code ?? "failed", message, ...(advice !== undefined && { advice }) };
    const what = said === undefined ? `${code ? `${code}: ` : ""}${message}` : `Cannot compile ${sources}`;
    const lines = [said, this.#output.colors.red(printable(what)), advice].filter(
      (text) => text !== undefined,
    );
    this.#report("failed", fields, lines.map(printableColouredLines).join("\n"));
  }

  /** @param text left out: users see the following event instead */
  #report(event: string, fields: object, text?: string): void {
    if (text !== undefined || this.#output.isJson)
      this.#output.print({ ...(text !== undefined && { text }), json: { event, ...fields } });
  }
}

/** Coloured text is printable already. */
function printableColouredLines(text: string): string {
  return text.startsWith("\u001b[") ? text : printableLines(text);
}

/** Whole milliseconds. */
function since(savedAt: number): number {
  return Math.round(performance.now() - savedAt);
}
