/**
 * Announces new lines to screen readers: each one at a low rate, their number at a high rate. Reading a log in full is
 * useless when lines come faster than speech.
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
