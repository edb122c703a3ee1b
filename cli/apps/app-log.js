/**
 * Filters a console's log for the lines of one app, from its start on.
 *
 *     shut ──begin──> collecting ──until──> looking ──> open
 *
 * A console sends its kept lines before new ones, and they may arrive late: lines of earlier starts, and of earlier
 * runs of the console, whose times are unrelated to the present. So the first line shown is the one whose time is that
 * of the start; all later lines are new.
 */

/** `<seconds>.<milliseconds> <level> <source>: <message>` */
const LINE = /^(\d+)\.(\d{3}) ([DIWE]) ([^:]+): (.*)$/s;

/** Of an app that has ended by itself, and was not stopped. */
const ENDED = /^"([^"]*)" ended: (?:exit|trap|quota|host_error)\b/;

/**
 * @typedef {object} LogLine
 * @property {string} line as the console has written it
 * @property {number} timeMs
 * @property {"D" | "I" | "W" | "E"} level
 * @property {string} source
 * @property {string} message
 */

/** @typedef {{ readonly phase: "shut" | "open" }
 *   | { readonly phase: "collecting", readonly fromMs: number, readonly lines: LogLine[] }
 *   | { readonly phase: "looking", readonly fromMs: number, readonly toMs: number }} Gate */

export class AppLog {
  /** @type {Gate} */
  #gate = { phase: "shut" };
  #onLine;
  /** Of the app. */
  name = "";

  /** @param {(line: LogLine) => void} onLine is given each line about the app */
  constructor(onLine) {
    this.#onLine = onLine;
  }

  /** The app is about to be started. @param {number} fromMs the console's time */
  begin(fromMs) {
    if (this.#gate.phase === "shut") this.#gate = { phase: "collecting", fromMs, lines: [] };
  }

  /** It has been started. @param {number} toMs the console's time */
  until(toMs) {
    const gate = this.#gate;
    if (gate.phase === "looking") this.#gate = { phase: "open" }; // the line was lost, and there was time for it
    if (gate.phase !== "collecting") return;
    this.#gate = { phase: "looking", fromMs: gate.fromMs, toMs };
    for (const line of gate.lines) this.#take(line);
  }

  /** @param {string} text the next line of the console's log */
  push(text) {
    const line = readLine(text);
    if (line) this.#take(line);
  }

  /** @param {LogLine} line */
  #take(line) {
    const gate = this.#gate;
    if (gate.phase === "shut") return;
    if (gate.phase === "collecting") {
      gate.lines.push(line);
      return;
    }
    if (gate.phase === "looking") {
      if (line.timeMs < gate.fromMs || line.timeMs > gate.toMs) return;
      this.#gate = { phase: "open" };
    }
    if (isAbout(line, this.name)) this.#onLine(line);
  }
}

/** @param {string} text @returns {LogLine | undefined} */
export function readLine(text) {
  const match = LINE.exec(text);
  if (!match) return undefined;
  const [line, seconds, milliseconds, level, source = "", message = ""] = match;
  const timeMs = Number(seconds) * 1000 + Number(milliseconds);
  return { line, timeMs, level: /** @type {LogLine["level"]} */ (level), source, message };
}

/** What it says itself, and how it has ended. @param {LogLine} line @param {string} name */
function isAbout({ source, message }, name) {
  return source === `app/${name}` || (source === "apps" && message.startsWith(`"${name}" ended: `));
}

/** Whether it says that an app has ended by itself. @param {LogLine} line */
export function saysEnded({ source, message }) {
  return source === "apps" && ENDED.test(message);
}
