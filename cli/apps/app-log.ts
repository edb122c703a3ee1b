/**
 * Filters a console's log for the lines of one app, from its start on.
 *
 *     off ──begin──> collecting ──until──> searching ──> on
 *
 * A console sends its kept lines before new ones, and they may arrive late: lines of earlier starts, and of earlier
 * runs of the console, whose times are unrelated to the present. So the first line shown is the one whose time is that
 * of the start; all later lines are new.
 */

/** `<seconds>.<milliseconds> <level> <source>: <message>` */
const LINE = /^(\d+)\.(\d{3}) ([DIWE]) ([^:]+): (.*)$/s;

/** An app ended by itself; it was not stopped. */
const ENDED = /^"([^"]*)" ended: (?:exit|trap|quota|host_error)\b/;

export interface LogLine {
  /** The whole line. */
  readonly line: string;
  readonly timeMs: number;
  readonly level: "D" | "I" | "W" | "E";
  readonly source: string;
  readonly message: string;
}

type Filter =
  | { readonly phase: "off" | "on" }
  | { readonly phase: "collecting"; readonly fromMs: number; readonly lines: LogLine[] }
  | { readonly phase: "searching"; readonly fromMs: number; readonly toMs: number };

export class AppLog {
  #filter: Filter = { phase: "off" };
  #onLine;
  /** Name of the app. */
  name = "";

  /** @param onLine called for each line about the app */
  constructor(onLine: (line: LogLine) => void) {
    this.#onLine = onLine;
  }

  /**
   * Call before starting the app.
   * @param fromMs the console's uptime
   */
  begin(fromMs: number): void {
    if (this.#filter.phase === "off") this.#filter = { phase: "collecting", fromMs, lines: [] };
  }

  /**
   * Call after the start.
   * @param toMs the console's uptime
   */
  until(toMs: number): void {
    const filter = this.#filter;
    if (filter.phase === "searching") this.#filter = { phase: "on" }; // the start's line was lost
    if (filter.phase !== "collecting") return;
    this.#filter = { phase: "searching", fromMs: filter.fromMs, toMs };
    for (const line of filter.lines) this.#take(line);
  }

  /** @param text the next line of the console's log */
  push(text: string): void {
    const line = readLine(text);
    if (line) this.#take(line);
  }

  #take(line: LogLine): void {
    const filter = this.#filter;
    if (filter.phase === "off") return;
    if (filter.phase === "collecting") {
      filter.lines.push(line);
      return;
    }
    if (filter.phase === "searching") {
      if (line.timeMs < filter.fromMs || line.timeMs > filter.toMs) return;
      this.#filter = { phase: "on" };
    }
    if (isAbout(line, this.name)) this.#onLine(line);
  }
}

export function readLine(text: string): LogLine | undefined {
  const match = LINE.exec(text);
  if (!match) return undefined;
  const [line, seconds, milliseconds, level, source = "", message = ""] = match;
  const timeMs = Number(seconds) * 1000 + Number(milliseconds);
  return { line, timeMs, level: level as LogLine["level"], source, message };
}

/** Whether the app wrote the line, or the line reports its end. */
function isAbout({ source, message }: LogLine, name: string): boolean {
  return source === `app/${name}` || (source === "apps" && message.startsWith(`"${name}" ended: `));
}

/** Whether the line reports that an app ended by itself. */
export function saysEnded({ source, message }: LogLine): boolean {
  return source === "apps" && ENDED.test(message);
}
