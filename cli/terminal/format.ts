/**
 * Formats values for the terminal: sizes, durations, and tables.
 */
import { printable } from "./printable.js";

const UNITS = Object.freeze(["bytes", "KiB", "MiB", "GiB"]);
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `812 bytes`, `4.0 MiB`. */
export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  for (; amount >= 1024 && unit < UNITS.length - 1; unit++) amount /= 1024;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${UNITS[unit]}`;
}

/** The two largest units that there are: `0.4 s`, `12 s`, `2 h 3 min`. */
export function durationText(milliseconds: number): string {
  if (milliseconds >= DAY_MS) return pair(milliseconds, DAY_MS, "d", HOUR_MS, "h");
  if (milliseconds >= HOUR_MS) return pair(milliseconds, HOUR_MS, "h", MINUTE_MS, "min");
  if (milliseconds >= MINUTE_MS) return pair(milliseconds, MINUTE_MS, "min", SECOND_MS, "s");
  const seconds = milliseconds / SECOND_MS;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
}

function pair(amount: number, large: number, name: string, small: number, smallName: string): string {
  return `${Math.floor(amount / large)} ${name} ${Math.floor((amount % large) / small)} ${smallName}`;
}

/** `4.0 MiB of 8.0 MiB free`. */
export function capacityText({
  total_bytes,
  free_bytes,
}: {
  readonly total_bytes: number;
  readonly free_bytes: number;
}): string {
  return `${bytesText(free_bytes)} of ${bytesText(total_bytes)} free`;
}

/** @param rows of equal length */
export function textTable(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "none";
  const words = rows.map((row) => row.map(printable));
  const widths = (words[0] ?? []).map((_word, column) =>
    Math.max(...words.map((row) => row[column]?.length ?? 0)),
  );
  const lines = words.map((row) => row.map((word, column) => word.padEnd(widths[column] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
