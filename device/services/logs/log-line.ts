/**
 * The form of a log line (docs/spec/logs.md#line-form):
 * `<seconds>.<milliseconds> <D|I|W|E> <source>: <message>`, with control characters escaped.
 */

/** The buffer holds the newest 16 KiB (docs/spec/logs.md#buffer). */
export const LOG_BUFFER_BYTES = 16 * 1024;

/**
 * Limit of one line, in UTF-8. Enough for a stack trace of names; small enough for one USB event
 * (docs/spec/logs.md#line-length).
 */
export const LOG_LINE_LIMIT_BYTES = 512;

/** Severity of a line, from the most verbose level to the least. */
export type LogLevel = "debug" | "info" | "warning" | "error";

/** Writes lines for one source. A message may hold any character; the log escapes control characters. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
}

/**
 * The buffered lines, numbered from 0 in order of arrival. A reader keeps a number, not a queue: when `first` has
 * passed that number, the difference is how many lines the reader has lost.
 */
export interface LogLines {
  /** Number of the oldest line in the buffer. */
  readonly first: number;
  /** Number of the next line to be written. */
  readonly next: number;
  /** The line without terminator. @throws {RangeError} outside `first` to `next` - 1 */
  line(number: number): string;
  /**
   * Calls `onLines` after lines were added: at most once in a turn of the event loop, never inside the call that added
   * them.
   * @returns a function that ends the subscription
   */
  subscribe(onLines: () => void): () => void;
}

const LETTER: Readonly<Record<LogLevel, string>> = Object.freeze({
  debug: "D",
  info: "I",
  warning: "W",
  error: "E",
});

/** C0, DEL and C1: characters that could end a line or control a terminal. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** UTF-8 needs at most three bytes for each UTF-16 unit, so a line of this many units always fits. */
const SURELY_FITTING_UNITS = Math.floor(LOG_LINE_LIMIT_BYTES / 3);
const ELLIPSIS = "…";
const ELLIPSIS_BYTES = 3;

/** One line without terminator, at most {@link LOG_LINE_LIMIT_BYTES} in UTF-8; a longer message ends in an ellipsis. */
export function formatLogLine(uptimeMs: number, level: LogLevel, source: string, message: string): string {
  // Cuts first, since escaping is slow: it handles each character by itself.
  const shown = message.length > LOG_LINE_LIMIT_BYTES ? message.slice(0, LOG_LINE_LIMIT_BYTES) : message;
  return fittingLine(`${formatUptime(uptimeMs)} ${LETTER[level]} ${source}: ${escapeControls(shown)}`);
}

/** `12.345`: seconds since boot with milliseconds. */
export function formatUptime(uptimeMs: number): string {
  const milliseconds = Math.floor(uptimeMs) % 1000;
  return `${Math.floor(uptimeMs / 1000)}.${String(milliseconds).padStart(3, "0")}`;
}

/** Replace every control character by `\n`, `\r`, `\t` or `\xNN` (docs/spec/logs.md#control-characters). */
export function escapeControls(text: string): string {
  return replaceControls(text, escapeControl);
}

/**
 * Replace every control character (C0, DEL, C1). A loop, because a pattern with the flag `g` writes its `lastIndex`,
 * and patterns are frozen.
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

/** Shorten `line` to {@link LOG_LINE_LIMIT_BYTES} if it is longer; never splits a character. */
export function fittingLine(line: string): string {
  if (line.length <= SURELY_FITTING_UNITS) return line;
  const bytes = new TextEncoder().encode(line);
  if (bytes.length <= LOG_LINE_LIMIT_BYTES) return line;
  let end = LOG_LINE_LIMIT_BYTES - ELLIPSIS_BYTES;
  while (isContinuation(bytes[end])) end--;
  return new TextDecoder().decode(bytes.subarray(0, end)) + ELLIPSIS;
}

/** Whether it is a byte of a character's UTF-8 other than the first (RFC 3629 §3). */
function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
