/**
 * The output of a command. Results go to standard output: text for users, or with `--json` exactly one value per line.
 * Everything else goes to standard error. Colours are for terminals only, and never if NO_COLOR is set.
 */
import picocolors from "picocolors";
import { adviceOf } from "../advice.js";
import { printable, printableColoured, printableJson, printableLines } from "./printable.js";
import { Progress } from "./progress.js";

/** @typedef {ReturnType<typeof picocolors.createColors>} Colors */

/** Code of an error that has none of its own, which is a mistake of svc's. */
const NO_CODE = "failed";

/** Names of the errors whose codes are those of our tables, and not Node's. */
const OURS = Object.freeze(["Fault", "HubRefusal", "DeviceError", "SdkError", "SvcError"]);

export class Output {
  /** @type {boolean} */
  isJson;
  /** Of standard output. @type {Colors} */
  colors;
  /** @type {Colors} */
  #errorColors;

  /** @param {{ isJson: boolean }} options */
  constructor({ isJson }) {
    this.isJson = isJson;
    this.colors = picocolors.createColors(!isJson && showsColours(process.stdout));
    this.#errorColors = picocolors.createColors(!isJson && showsColours(process.stderr));
  }

  /** An outcome, or one of several. @param {import("../command.js").Outcome} outcome */
  print({ text, json }) {
    if (this.isJson) process.stdout.write(`${printableJson(json)}\n`);
    else if (text !== undefined) process.stdout.write(`${this.#shown(text)}\n`);
  }

  /** What is good to know while it works; programs are spared. @param {string} text */
  note(text) {
    if (!this.isJson) process.stderr.write(`${this.#errorColors.dim(printableLines(text))}\n`);
  }

  /** What the user should know, programs too. @param {string} text */
  warn(text) {
    const line = printable(text);
    process.stderr.write(this.isJson ? `${printableJson({ warning: text })}\n` : `svc: ${line}\n`);
  }

  /** Why it has failed, and what to do about it. @param {unknown} error */
  fail(error) {
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
   * @param {string} what such as `bricks.svcpkg`
   * @param {number} totalBytes
   */
  progress(what, totalBytes) {
    return new Progress({ what: printable(what), totalBytes, isSilent: this.isJson });
  }

  /** @param {string} text */
  #shown(text) {
    return this.colors.isColorSupported ? printableColoured(text) : printableLines(text);
  }
}

/** @param {NodeJS.WriteStream} stream */
function showsColours(stream) {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(stream.isTTY) && !NO_COLOR && TERM !== "dumb";
}

/**
 * The code stands where the error has one of the tables of errors, and not one of Node's.
 *
 * @param {unknown} error
 * @returns {{ code: string, message: string, advice?: string | undefined }}
 */
function reasonOf(error) {
  const { name, code, message } = /** @type {{ name?: string, code?: string, message?: string }} */ (
    Object(error)
  );
  const isOurs = OURS.includes(name ?? "") && code !== undefined;
  return { code: isOurs ? code : NO_CODE, message: message ?? String(error), advice: adviceOf(error) };
}
