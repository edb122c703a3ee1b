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
  /** Lines before it are of the run before. */
  | { readonly kind: "restart" }
  /** Of no form that is known; shown as it is. */
  | { readonly kind: "other" }
);

const FORM = /^(\d+\.\d{3}) ([DIWE]) ([^ ]+?): (.*)$/s;

/** @param number that the line has for good, by which it is found again */
export function parseLogLine(text: string, number: number): LogEntry {
  const parts = FORM.exec(text);
  if (!parts) return { kind: "other", number, text };
  const [, time, level, source, message] = parts as unknown as [string, string, Level, string, string];
  if (source === "boot" && message === "previous run ended here") return { kind: "restart", number, text };
  return { kind: "message", number, text, time, level, source, message };
}
