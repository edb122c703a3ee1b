/** Locates the sources of wasm3, and lists those that we compile. */
import { existsSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");

/** The npm package, or the checkout named by `WASM3`. */
export const wasm3 = sourcesOf(process.env["WASM3"] ?? path.join(root, "node_modules/wasm3/cpp"));

/** Compiler and interpreter. `device/wasm/native/wasm3-interpreter.c` includes it. */
export const wasm3Compiler = path.join(wasm3, "m3_compile.c");

/** Files that `device/wasm/native/wasm3-core.c`, `wasm3-env.c` and `wasm3-module.c` include with changes. */
export const wasm3Mended = ["core", "env", "module"].map((name) => path.join(wasm3, `m3_${name}.c`));

/** The rest of the core, without the host APIs (`m3_api_…`). */
export const wasm3Sources = ["bind", "code", "exec", "function", "info", "parse"].map((name) =>
  path.join(wasm3, `m3_${name}.c`),
);

/** Compiler flags for wasm3, and for our files that include it. */
export const wasm3Flags = [
  "-include",
  path.join(root, "device/wasm/native/wasm3-configuration.h"),
  `-isystem${wasm3}`,
];

/** @param directory checkout, or its source directory */
function sourcesOf(directory: string): string {
  const sources = path.join(directory, "source");
  return existsSync(sources) ? sources : directory;
}
