/**
 * The output of a command. Results go to standard output: text for users, or with `--json` exactly one value per line.
 * Everything else goes to standard error. Colours are for terminals only, and never if NO_COLOR is set.
 */
import picocolors from "picocolors";
import { adviceOf } from "../advice.js";
import { systemReason } from "../files.js";
import { SvcError } from "../svc-error.js";
import { printable, printableColoured, printableJson, printableLines } from "./printable.js";
import type { Progress } from "./progress.js";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Code of an error that has none of its own, which is a mistake of svc's. */
const NO_CODE = "failed";

/** Names of the errors whose codes are those of our tables, and not Node's. */
const OURS = Object.freeze(["Fault", "HubRefusal", "DeviceError", "SdkError", "SvcError"]);

export class Output {
  isJson: boolean;
  /** Of standard output. */
  colors: Colors;
  #errorColors: Colors;

  constructor({ isJson }: { isJson: boolean }) {
    this.isJson = isJson;
    this.colors = picocolors.createColors(!isJson && showsColours(process.stdout));
    this.#errorColors = picocolors.createColors(!isJson && showsColours(process.stderr));
  }

  /** An outcome, or one of several. */
  print({ text, json }: Outcome): void {
    if (this.isJson) process.stdout.write(`${printableJson(json)}\n`);
    else if (text !== undefined) process.stdout.write(`${this.#shown(text)}\n`);
  }

  /** What is good to know while it works; programs are spared. */
  note(text: string): void {
    if (!this.isJson) process.stderr.write(`${this.#errorColors.dim(printableLines(text))}\n`);
  }

  /** What the user should know, programs too. */
  warn(text: string): void {
    const line = printable(text);
    process.stderr.write(this.isJson ? `${printableJson({ warning: text })}\n` : `svc: ${line}\n`);
  }

  /** Why it has failed, and what to do about it. */
  fail(error: unknown): void {
    const { code, message, advice } = reasonOf(error);
    if (this.isJson) {
      const json = { error: code, message, ...(advice !== undefined && { advice }) };
      process.stderr.write(`${printableJson(json)}\n`);
      return;
    }
    const what = printable(`${code}: ${message}`);
    process.stderr.write(`${this.#errorColors.red("svc:")} ${what}\n`);
    if (advice !== undefined) process.stderr.write(`${printable(advice)}\n`);
  }

  /**
   * Shows how far an upload is.
   * @param what such as `bricks.svcpkg`
   */
  async progress(what: string, totalBytes: number): Promise<Progress> {
    const { Progress } = await import("./progress.js"); // few commands send a file
    return new Progress({ what: printable(what), totalBytes, isSilent: this.isJson });
  }

  #shown(text: string): string {
    return this.colors.isColorSupported ? printableColoured(text) : printableLines(text);
  }
}

function showsColours(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(stream.isTTY) && !NO_COLOR && TERM !== "dumb";
}

/** The code stands where the error has one of the tables of errors, and not one of Node's. */
function reasonOf(error: unknown): { code: string; message: string; advice?: string | undefined } {
  const { name, code, message } = Object(error) as { name?: string; code?: string; message?: string };
  const isOurs = OURS.includes(name ?? "") && code !== undefined;
  return { code: isOurs ? code : NO_CODE, message: message ?? String(error), advice: adviceOf(error) };
}

export interface Outcome {
  /** Lines for people; left out: there is nothing to say. */
  readonly text?: string;
  /** The same for programs, with `--json`. */
  readonly json: unknown;
}

export class OutputWatch {
  /** Has everything told that fails from now on. */
  onFailure: () => void = () => {};
  /** Why standard output takes no more; a reader who has gone has what they wanted. */
  error: SvcError | undefined;
  #isOver = false;

  constructor() {
    process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
      this.#isOver = true;
      if (cause.code !== "EPIPE") this.error ??= notWritten(cause);
      this.onFailure();
    });
    process.stderr.on("error", () => {}); // errors of stderr have no reader; go on
  }

  /** Waits until all that was printed is written, or cannot be. */
  async settle(): Promise<void> {
    await new Promise((resolve) => process.stdout.write("", resolve));
    // The stream reports a failed write a turn later.
    if (!this.#isOver) await new Promise((resolve) => setImmediate(resolve));
  }
}

function notWritten(cause: NodeJS.ErrnoException): SvcError {
  const message = `Cannot write to standard output: ${systemReason(cause) ?? cause.message} (${cause.code})`;
  return new SvcError("output_not_written", message, { cause });
}
