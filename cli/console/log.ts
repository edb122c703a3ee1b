/**
 * Reads the stored log of a console, and parses and formats its lines (docs/spec/logs.md#line-form):
 * `<seconds>.<milliseconds> <D|I|W|E> <source>: <message>`.
 */
import type { Device } from "../../device-client/device.js";
import { deviceError } from "../device/client.js";
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

/** An app may log faster than a port takes it: then there is no end, and this is enough. */
const LINES_LIMIT = 10_000;

/** @returns over HTTP with `next` and `dropped` beside them */
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
 * Over USB the log is replayed as events, of which none says that it is the last. But a console goes on with them as soon
 * as an answer is out, before it can have the next request: where two requests one after the other are answered and
 * nothing comes meanwhile, there is nothing.
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
