/**
 * The form of a log line (docs/spec/logs.md#line-form):
 * `<seconds>.<milliseconds> <D|I|W|E> <source>: <message>`, with control characters escaped.
 */

/** The buffer holds the newest 16 KiB (docs/spec/logs.md#buffer). */
export const LOG_BUFFER_BYTES = 16 * 1024;

/**
 * One line, in UTF-8. Enough for a stack of names; small enough to travel in one USB event
 * (docs/spec/logs.md#line-length).
 */
export const LOG_LINE_LIMIT_BYTES = 512;

/**
 * The services' interface to the log: write lines, and follow it.
 */
export type LogLevel = "debug" | "info" | "warning" | "error";

/** Writes lines for one source. Messages may hold anything; the log escapes what would break a line. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
}

/**
 * The buffered lines, numbered from 0 in the order they came. A reader keeps a number, never a queue:
 * one that falls behind finds that `first` has passed it, and knows how many lines it has lost.
 */
export interface LogLines {
  /** Number of the oldest line that is still there. */
  readonly first: number;
  /** Number that the next line will get. */
  readonly next: number;
  /** The line without terminator. @throws {RangeError} outside `first` to `next` - 1 */
  line(number: number): string;
  /**
   * Calls back after lines were added, at most once in a turn of the event loop, never from inside the
   * call that added them.
   * @returns what ends the subscription
   */
  subscribe(onLines: () => void): () => void;
}

const LETTER: Readonly<Record<LogLevel, string>> = Object.freeze({
  debug: "D",
  info: "I",
  warning: "W",
  error: "E",
});

/** C0, DEL and C1: what could end a line or drive a terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** UTF-8 needs at most three bytes for each UTF-16 unit, so this many units always fit. */
const LIMIT_UNITS = Math.floor(LOG_LINE_LIMIT_BYTES / 3);

/**
 * One line without terminator, at most {@link LOG_LINE_LIMIT_BYTES} in UTF-8; a longer message ends in
 * an ellipsis.
 */
export function formatLogLine(uptimeMs: number, level: LogLevel, source: string, message: string): string {
  // What will be cut off is not escaped first: that takes each character by itself.
  const shown = message.length > LOG_LINE_LIMIT_BYTES ? message.slice(0, LOG_LINE_LIMIT_BYTES) : message;
  return fittingLine(`${formatUptime(uptimeMs)} ${LETTER[level]} ${source}: ${escapeControls(shown)}`);
}

/** `12.345`: seconds since boot with milliseconds. */
export function formatUptime(uptimeMs: number): string {
  const milliseconds = Math.floor(uptimeMs) % 1000;
  return `${Math.floor(uptimeMs / 1000)}.${String(milliseconds).padStart(3, "0")}`;
}

/** `text` with every control character as `\n`, `\r`, `\t` or `\xNN` (docs/spec/logs.md#control-characters). */
export function escapeControls(text: string): string {
  return replaceControls(text, escapeControl);
}

/**
 * `text` with every control character (C0, DEL, C1) replaced. A loop, because a pattern with the flag `g`
 * keeps its position in itself, and patterns are frozen.
 */
export function replaceControls(text: string, replacement: (control: string) => string): string {
  if (!CONTROL.test(text)) return text;
  let replaced = "";
  for (const character of text) replaced += CONTROL.test(character) ? replacement(character) : character;
  return replaced;
}

function escapeControl(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

/** `line`, cut where it would be over {@link LOG_LINE_LIMIT_BYTES}. */
export function fittingLine(line: string): string {
  if (line.length <= LIMIT_UNITS) return line;
  if (isAscii(line))
    return line.length <= LOG_LINE_LIMIT_BYTES ? line : shortened(line, LOG_LINE_LIMIT_BYTES - 3);
  return shortened(line, LIMIT_UNITS - 1);
}

/** Cuts before a pair of surrogates rather than through it. */
function shortened(line: string, units: number): string {
  const last = line.charCodeAt(units - 1);
  const cutsPair = last >= 0xd800 && last <= 0xdbff;
  return `${line.slice(0, cutsPair ? units - 1 : units)}…`;
}

const NOT_ASCII = /[^\u0000-\u007f]/;

function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}
