/**
 * Modules in the text format, prepared as the console would: a last global that the engine sets to interrupt
 * the app, and a look at it where every loop begins.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

/** The fields of a module: what stands between `(module` and `)`. `(loop` is prepared. */
export type Wat = string;

const CHECK = "(global.get $interrupt) (if (then (unreachable)))";

/** A type after `(loop` belongs before the check. */
const LOOP = /\(loop(\s+\$[\w.]+)?(\s+\((?:param|result)[^)]*\))*/g;

export function wasmOf(module: Wat | Uint8Array): Uint8Array {
  if (typeof module !== "string") return module;
  const prepared = module.replace(LOOP, (loop) => `${loop} ${CHECK}`);
  return assemble(`(module ${prepared} (global $interrupt (mut i32) (i32.const 0)))`);
}

/** As it is, unprepared. */
export function assemble(text: string): Uint8Array {
  const directory = mkdtempSync(path.join(tmpdir(), "wat-"));
  try {
    const source = path.join(directory, "module.wat");
    const output = path.join(directory, "module.wasm");
    writeFileSync(source, text);
    const wat2wasm = createRequire(import.meta.url).resolve("wabt/bin/wat2wasm");
    execFileSync("node", [wat2wasm, "--debug-names", "-o", output, source]);
    return readFileSync(output);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
