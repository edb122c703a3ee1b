/**
 * Reads the stored log of a console, and parses and formats its lines (docs/spec/logs.md#line-form):
 * `<seconds>.<milliseconds> <D|I|W|E> <source>: <message>`.
 */
import type { Device } from "../../device-client/device.js";
import { type TrapFrame, type TrapLines, trapFrames, withLines } from "../../tools/trap-lines.js";
import { deviceError } from "../device/client.js";
import type { Colors } from "../terminal/output.js";
import { printable } from "../terminal/printable.js";

/** In ascending order. */
export const LEVELS = Object.freeze(["debug", "info", "warning", "error"]);
const LETTERS = Object.freeze(["D", "I", "W", "E"]);
const LINE = /^(\d+)\.(\d{3}) ([DIWE]) ([^:]*): (.*)$/s;

/**
 * Parses a line for programs; other text gives `line` alone.
 * @param lines those of an app, by which the functions of its traps get files and lines
 */
export function logEntry(line: string, lines?: TrapLines) {
  const [, seconds, milliseconds, letter = "", source, message = ""] = LINE.exec(line) ?? [];
  if (seconds === undefined) return { line };
  const uptime_ms = Number(seconds) * 1000 + Number(milliseconds);
  const entry = { line, uptime_ms, level: LEVELS[LETTERS.indexOf(letter)], source, message };
  const stack = lines && source === APPS ? trapFrames(message, lines) : undefined;
  return stack ? { ...entry, stack: stack.map(jsonFrame) } : entry;
}

function jsonFrame({ isStart, ...frame }: TrapFrame) {
  return isStart ? { ...frame, is_start: true } : frame;
}

/** Source of the lines that report how apps have ended. */
const APPS = "apps";

/** The line with files and lines of an app's sources, where it reports a trap of the app. */
export function sourceLine(line: string, lines: TrapLines | undefined): string {
  const [, , , , source, message] = LINE.exec(line) ?? [];
  if (!lines || source !== APPS || message === undefined) return line;
  return line.slice(0, line.length - message.length) + withLines(message, lines);
}

/** Whether a line has at least this level; a line without a level passes. */
export function isAtLeast(line: string, level: string): boolean {
  const letter = LINE.exec(line)?.[3];
  return letter === undefined || LETTERS.indexOf(letter) >= LEVELS.indexOf(level);
}

/** Formats a line for users. */
export function logText(line: string, colors: Colors): string {
  const text = printable(line);
  const letter = LINE.exec(line)?.[3];
  if (letter === "E") return colors.red(text);
  if (letter === "W") return colors.yellow(text);
  return letter === "D" ? colors.dim(text) : text;
}

/** Ends the replay if an app logs faster than the port transfers. */
const LINES_LIMIT = 10_000;

/** @returns the stored lines; over HTTP also `next` and `dropped` */
export async function keptLog(
  device: Device,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly string[] }> {
  if (device.transport.kind === "usb") return { lines: await replayedLog(device, signal) };
  const { status, body } = await device.transport.request({ method: "GET", path: "/api/logs", signal });
  if (status === 200) return body as { lines: string[] };
  const { error, message } = Object(body);
  throw await deviceError(
    String(error ?? "answer_invalid"),
    String(message ?? `The console answers ${status}`),
  );
}

/**
 * Over USB the log is replayed as events without an end mark. A console sends pending events right after each answer,
 * before it reads the next request: if no event arrives during two consecutive requests, the replay is over.
 */
async function replayedLog(device: Device, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  const stop = device.transport.followLog((line) => void lines.push(line));
  for (let before = -1; lines.length > before && lines.length < LINES_LIMIT; ) {
    before = lines.length;
    await device.status(signal);
    await device.status(signal);
  }
  stop();
  return lines;
}
