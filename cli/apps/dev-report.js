/**
 * Output of `svc app dev`: for users a line per important event and the app's log as it comes, for programs an event
 * per line.
 */
import { adviceOf } from "../advice.js";
import { logEntry } from "../console/log-line.js";
import { printable, printableLines } from "../terminal/printable.js";

/** @typedef {import("./dev-loop.js").SignedApp} SignedApp */
/** @typedef {import("./app-log.js").LogLine} LogLine */
/** @typedef {import("../terminal/output.js").Output} Output */

export class DevReport {
  #output;

  /** @param {Output} output */
  constructor(output) {
    this.#output = output;
  }

  /** @param {string} name @param {string} address */
  ready(name, address) {
    this.#tell("ready", { device: name, address }, `${name} is there, at ${address}`);
  }

  /** @param {string} name @param {{ code: string, message: string }} error */
  away(name, { code, message }) {
    const text = `${name} is away (${message}); it is waited for`;
    this.#tell("away", { device: name, error: code, message }, this.#output.colors.yellow(text));
  }

  /** @param {SignedApp} app */
  built({ name, version, file, savedAt }) {
    this.#tell("built", { name, version, bytes: file.length, after_ms: since(savedAt) });
  }

  /** @param {SignedApp} app */
  installed({ name, version, savedAt }) {
    this.#tell("installed", { name, version, after_ms: since(savedAt) });
  }

  /** @param {SignedApp} app @param {boolean} isAgain */
  started({ name, version, file, savedAt }, isAgain) {
    if (isAgain)
      return this.#tell("started", { name, version, is_again: true }, `${name} ${version} runs again`);
    const afterMs = since(savedAt);
    const text = `${name} ${version} runs, ${file.length} bytes, after ${(afterMs / 1000).toFixed(2)} s`;
    this.#tell("started", { name, version, after_ms: afterMs }, this.#output.colors.green(text));
  }

  /** @param {LogLine} line */
  log({ line, level }) {
    const { colors } = this.#output;
    const colour = level === "E" ? colors.red : level === "W" ? colors.yellow : String;
    this.#tell("log", logEntry(line), colour(printable(line)));
  }

  /** @param {string} stage @param {unknown} error */
  failed(stage, error) {
    const { code, message, said, sources } =
      /** @type {{ code?: string, message: string, said?: string, sources?: string }} */ (error);
    const advice = adviceOf(error);
    const fields = { stage, error: code ?? "failed", message, ...(advice !== undefined && { advice }) };
    const what = said === undefined ? `${code ? `${code}: ` : ""}${message}` : `Cannot compile ${sources}`;
    const lines = [said, this.#output.colors.red(printable(what)), advice].filter(
      (text) => text !== undefined,
    );
    this.#tell("failed", fields, lines.map(printableColouredLines).join("\n"));
  }

  /** @param {string} event @param {object} fields @param {string} [text] left out: people are told with what follows */
  #tell(event, fields, text) {
    if (text !== undefined || this.#output.isJson)
      this.#output.print({ ...(text !== undefined && { text }), json: { event, ...fields } });
  }
}

/** What is coloured has been made printable before. @param {string} text */
function printableColouredLines(text) {
  return text.startsWith("\u001b[") ? text : printableLines(text);
}

/** Whole milliseconds. @param {number} savedAt */
function since(savedAt) {
  return Math.round(performance.now() - savedAt);
}
