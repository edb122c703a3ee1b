/** Formats rows as a table, each column as wide as its widest cell. */
import { printable } from "./terminal/printable.js";

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
