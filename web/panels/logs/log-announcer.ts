/**
 * What a screen reader is told of lines as they come: each one while they trickle, how many there were once they rush.
 * A log read aloud in full is of no use when the next line comes before the last one is spoken.
 */
import type { LogEntry } from "./log-entry.js";

/** So many can be listened to in {@link QUIET_MS}. */
const SPOKEN_LINES = 2;

/** Between two announcements. */
export const QUIET_MS = 4000;

/** @param arrived since the announcement before, of those that are shown */
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
