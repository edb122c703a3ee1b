/** Filters the lines of the log. */
import { LEVELS, type Level, type LogEntry } from "./log-entry.js";

export interface LogFilter {
  readonly levels: ReadonlySet<Level>;
  /** `""`: every source. */
  readonly source: string;
}

export const EVERYTHING: LogFilter = { levels: new Set(LEVELS.map(({ level }) => level)), source: "" };

export function isShown(entry: LogEntry, { levels, source }: LogFilter): boolean {
  if (entry.kind === "restart") return true; // what is shown above and below it are different runs
  if (entry.kind === "other") return source === "";
  return levels.has(entry.level) && (source === "" || entry.source === source);
}

export function withLevelSwitched(filter: LogFilter, level: Level): LogFilter {
  const levels = new Set(filter.levels);
  if (!levels.delete(level)) levels.add(level);
  return { ...filter, levels };
}

export function isFiltering({ levels, source }: LogFilter): boolean {
  return source !== "" || levels.size < LEVELS.length;
}
