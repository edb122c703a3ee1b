/**
 * Words the announcements of new lines for screen readers: the lines themselves if there are few, otherwise their
 * number and the latest error, since speech is slower than the log.
 */
import type { LogEntry } from "./log-entry.js";

/** Number of lines that can be read aloud within {@link QUIET_MS}. */
const SPOKEN_LINES = 2;

/** Interval between two announcements. */
export const QUIET_MS = 4000;

/** @param arrived shown lines that have arrived since the previous announcement */
export function announcementOf(arrived: readonly LogEntry[]): string {
  const errors = arrived.filter((entry) => entry.kind === "message" && entry.level === "E");
  if (arrived.length <= SPOKEN_LINES) return arrived.map(spoken).join("\n");
  const latest = errors.at(-1);
  return `${arrived.length} new lines${latest ? `. ${spoken(latest)}` : ""}`;
}

function spoken(entry: LogEntry): string {
  if (entry.kind === "restart") return "The console restarted";
  if (entry.kind === "other") return entry.text;
  const level = entry.level === "E" ? "Error, " : entry.level === "W" ? "Warning, " : "";
  return `${level}${entry.source}: ${entry.message}`;
}
