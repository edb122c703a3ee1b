/**
 * The output of a command. Results go to standard output: text for users, or with `--json` exactly one value per line.
 * Everything else goes to standard error. Colours are for terminals only, and never if NO_COLOR is set.
 */
import picocolors from "picocolors";
import { adviceOf } from "../advice.js";
import { systemReason } from "../files.js";
import { SvcError } from "../svc-error.js";
import { NO_PICTURE, type PictureProtocol, pictureProtocol, pictureText } from "./pictures.js";
import { printable, printableColoured, printableJson, printableLines } from "./printable.js";
import type { Progress } from "./progress.js";

export type Colors = ReturnType<typeof picocolors.createColors>;

/** Code of an error without a code, which is a bug of svc. */
const NO_CODE = "failed";

/** Names of errors with codes of our tables; other errors have codes of Node. */
const OURS = Object.freeze(["Fault", "HubRefusal", "DeviceError", "SdkError", "SvcError"]);

export class Output {
  isJson: boolean;
  /** Colours of standard output. */
  colors: Colors;
  /** How standard output shows pictures; `undefined` if it does not. */
  readonly pictures: PictureProtocol | undefined;
  #errorColors: Colors;

  constructor({ isJson }: { isJson: boolean }) {
    this.isJson = isJson;
    const isColoured = !isJson && showsColours(process.stdout);
    this.colors = picocolors.createColors(isColoured);
    this.pictures = isColoured ? pictureProtocol(process.env) : undefined;
    this.#errorColors = picocolors.createColors(!isJson && showsColours(process.stderr));
  }

  /** Prints an outcome, or one of several. */
  print({ text, json, pictures }: Outcome): void {
    if (this.isJson) process.stdout.write(`${printableJson(json)}\n`);
    else if (text !== undefined) process.stdout.write(`${this.#pictured(this.#shown(text), pictures)}\n`);
  }

  /** Prints a note about the progress for users; nothing with `--json`. */
  note(text: string): void {
    if (!this.isJson) process.stderr.write(`${this.#errorColors.dim(printableLines(text))}\n`);
  }

  /** Prints a warning for users and programs. */
  warn(text: string): void {
    const line = printable(text);
    process.stderr.write(this.isJson ? `${printableJson({ warning: text })}\n` : `svc: ${line}\n`);
  }

  /** Prints an error with advice. */
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
   * Shows the progress of an upload.
   * @param what name, such as `bricks.svcpkg`
   */
  async progress(what: string, totalBytes: number): Promise<Progress> {
    const { Progress } = await import("./progress.js"); // few commands send a file
    return new Progress({ what: printable(what), totalBytes, isSilent: this.isJson });
  }

  #pictured(text: string, pictures: Outcome["pictures"]): string {
    const { pictures: protocol } = this;
    if (!protocol || !pictures?.some((png) => png)) return text;
    return text
      .split("\n")
      .map((line, at) => {
        const png = pictures[at];
        return (png ? pictureText(protocol, png) : NO_PICTURE) + line;
      })
      .join("\n");
  }

  #shown(text: string): string {
    return this.colors.isColorSupported ? printableColoured(text) : printableLines(text);
  }
}

function showsColours(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(stream.isTTY) && !NO_COLOR && TERM !== "dumb";
}

/** Uses the error's code only if it is from our tables. */
function reasonOf(error: unknown): { code: string; message: string; advice?: string | undefined } {
  const { name, code, message } = Object(error) as { name?: string; code?: string; message?: string };
  const isOurs = OURS.includes(name ?? "") && code !== undefined;
  return { code: isOurs ? code : NO_CODE, message: message ?? String(error), advice: adviceOf(error) };
}

export interface Outcome {
  /** Lines for users; left out: prints nothing. */
  readonly text?: string;
  /** The result for programs, with `--json`. */
  readonly json: unknown;
  /** PNGs to show before the lines of `text`, in their order, if {@link Output.pictures}. */
  readonly pictures?: readonly (Uint8Array | undefined)[];
}

export class OutputWatch {
  /** Called after each failed write. */
  onFailure: () => void = () => {};
  /** Error of standard output; a closed pipe is not an error. */
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

  /** Waits until all output is written, or has failed. */
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
