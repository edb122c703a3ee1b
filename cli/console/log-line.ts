/** Lines of a console's log (docs/spec/logs.md#line-form): `<seconds>.<milliseconds> <D|I|W|E> <source>: <message>`. */
import type { Colors } from "../terminal/output.js";
import { printable } from "../terminal/printable.js";

/** From the least to the most. */
export const LEVELS = Object.freeze(["debug", "info", "warning", "error"]);
const LETTERS = Object.freeze(["D", "I", "W", "E"]);
const LINE = /^(\d+)\.(\d{3}) ([DIWE]) ([^:]*): (.*)$/s;

/** For programs; what is no such line is `line` alone. */
export function logEntry(line: string) {
  const [, seconds, milliseconds, letter = "", source, message] = LINE.exec(line) ?? [];
  if (seconds === undefined) return { line };
  const uptime_ms = Number(seconds) * 1000 + Number(milliseconds);
  return { line, uptime_ms, level: LEVELS[LETTERS.indexOf(letter)], source, message };
}

/** Whether a line is of this level at the least; one without a level is of all. */
export function isAtLeast(line: string, level: string): boolean {
  const letter = LINE.exec(line)?.[3];
  return letter === undefined || LETTERS.indexOf(letter) >= LEVELS.indexOf(level);
}

/** For people. */
export function logText(line: string, colors: Colors): string {
  const text = printable(line);
  const letter = LINE.exec(line)?.[3];
  if (letter === "E") return colors.red(text);
  if (letter === "W") return colors.yellow(text);
  return letter === "D" ? colors.dim(text) : text;
}
