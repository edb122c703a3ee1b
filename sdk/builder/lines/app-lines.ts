/** The lines of an app, for the file beside its package (tools/trap-lines.ts). */
import { createHash } from "node:crypto";
import { functionNames, importedNames } from "../../../protocol/module-file.js";
import { type CodeLine, writeTrapLines } from "../../../tools/trap-lines.js";
import type { LineRow } from "./line-row.js";
import { type PreparedFunction, preparedFunctions } from "./prepared-code.js";

/**
 * @param module as published, valid
 * @param prepared as a console makes it
 * @param rows of the module's code, in ascending order
 * @returns content of the file; `undefined` where there are no lines
 */
export function appLines(
  { name, version }: { readonly name: string; readonly version: string },
  module: Uint8Array,
  prepared: Uint8Array,
  rows: readonly LineRow[],
): string | undefined {
  if (rows.length === 0) return undefined;
  const names = functionNames(module);
  const imported = importedNames(module).length;
  const lines = preparedFunctions(module, prepared).flatMap((body, index) =>
    linesOfFunction(body, names.get(imported + index), rows),
  );
  const moduleSha256 = createHash("sha256").update(module).digest("hex");
  return writeTrapLines({ app: name, version, moduleSha256 }, lines);
}

/** One line for each stretch of code, without those that repeat the one before. */
function linesOfFunction(
  { at, runs }: PreparedFunction,
  name: string | undefined,
  rows: readonly LineRow[],
): readonly CodeLine[] {
  const lines: CodeLine[] = [];
  const add = (offset: number, row: LineRow | undefined) => {
    const line = { offset, file: row?.file ?? "", line: row?.line ?? 0 };
    if (lines.at(-1)?.offset === offset) lines.pop();
    const before = lines.at(-1);
    if (before?.file !== line.file || before.line !== line.line) lines.push(line);
  };
  const from = runs[0]?.from ?? 0;
  let next = firstRowAfter(rows, from);
  // What began before the body is of another function.
  let current = rows[next - 1]?.offset === from ? rows[next - 1] : undefined;
  add(at, current);
  for (const run of runs) {
    if (run !== runs[0]) add(run.at, current);
    for (; (rows[next]?.offset ?? run.to) < run.to; next++) {
      const row = rows[next] as LineRow;
      if (row.line === 0) continue; // the compiler's own code, which is taken for that of the line before
      current = row;
      add(run.at + Math.max(0, row.offset - run.from), current);
    }
  }
  return named(lines, name);
}

/** The function begins at its first line, in the code before which there are none. */
function named(lines: readonly CodeLine[], name: string | undefined): readonly CodeLine[] {
  const first = lines.findIndex(({ line }) => line > 0);
  if (name === undefined || first < 0) return lines;
  return lines.map((line, index) => (index === first ? { ...line, name } : line));
}

function firstRowAfter(rows: readonly LineRow[], offset: number): number {
  let first = 0;
  for (let end = rows.length; first < end; ) {
    const middle = (first + end) >> 1;
    if ((rows[middle] as LineRow).offset > offset) end = middle;
    else first = middle + 1;
  }
  return first;
}
