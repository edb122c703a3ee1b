/** A parsed line of the console's log: `<s>.<ms> <D|I|W|E> <source>: <message>`. */

export type Level = "D" | "I" | "W" | "E";

export const LEVELS: readonly { readonly level: Level; readonly name: string }[] = [
  { level: "D", name: "Debug" },
  { level: "I", name: "Info" },
  { level: "W", name: "Warning" },
  { level: "E", name: "Error" },
];

export type LogEntry = { readonly number: number; readonly text: string } & (
  | {
      readonly kind: "message";
      readonly time: string;
      readonly level: Level;
      readonly source: string;
      readonly message: string;
    }
  /** Separates the previous run, before this line, from the next one. */
  | { readonly kind: "restart" }
  /** In no known format; shown as it is. */
  | { readonly kind: "other" }
);

const FORM = /^(\d+\.\d{3}) ([DIWE]) ([^ ]+?): (.*)$/s;

/** @param number permanent number of the line, which identifies it */
export function parseLogLine(text: string, number: number): LogEntry {
  const parts = FORM.exec(text);
  if (!parts) return { kind: "other", number, text };
  const [, time, level, source, message] = parts as unknown as [string, string, Level, string, string];
  if (source === "boot" && message === "previous run ended here") return { kind: "restart", number, text };
  return { kind: "message", number, text, time, level, source, message };
}

export interface LogFilter {
  readonly levels: ReadonlySet<Level>;
  /** `""` for all sources. */
  readonly source: string;
}

export const EVERYTHING: LogFilter = { levels: new Set(LEVELS.map(({ level }) => level)), source: "" };

export function isShown(entry: LogEntry, { levels, source }: LogFilter): boolean {
  if (entry.kind === "restart") return true; // it separates the lines of two runs
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
