/** Reads source maps of modules, as asc and emscripten write them: the column is a byte of the module (ECMA-426). */
import { decode } from "@jridgewell/sourcemap-codec";
import { codeStart } from "../../../protocol/module-file.js";
import type { LineRow } from "./line-row.js";

/** @returns in ascending order; empty for what is no source map */
export function sourceMapLines(module: Uint8Array, text: string): readonly LineRow[] {
  const start = codeStart(module);
  let map: { sources?: unknown; mappings?: unknown };
  try {
    map = Object(JSON.parse(text));
  } catch {
    return [];
  }
  const { sources, mappings } = map;
  if (start === undefined || !Array.isArray(sources) || typeof mappings !== "string") return [];
  return (decode(mappings)[0] ?? [])
    .map(([column, source, line]) => ({
      offset: column - start,
      file: source === undefined ? "" : String(sources[source] ?? ""),
      line: line === undefined ? 0 : line + 1,
    }))
    .filter(({ offset }) => offset >= 0)
    .sort((one, other) => one.offset - other.offset);
}
