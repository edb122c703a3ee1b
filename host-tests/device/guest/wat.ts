/**
 * Modules in the text format, with the last global by which the engine knows modules that the console has
 * prepared.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

/** The fields of a module: what stands between `(module` and `)`. */
export type Wat = string;

export function wasmOf(module: Wat | Uint8Array): Uint8Array {
  if (typeof module !== "string") return module;
  return assemble(`(module ${module} (global $interrupt (mut i32) (i32.const 0)))`);
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
