/** wasm3: where its sources are, and which of them we take. */
import { existsSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");

/** The npm package, or the checkout that `WASM3` names. */
export const wasm3 = sourcesOf(process.env["WASM3"] ?? path.join(root, "node_modules/wasm3/cpp"));

/** Compiler and interpreter. `device/wasm/native/wasm3-interpreter.c` includes it. */
export const wasm3Compiler = path.join(wasm3, "m3_compile.c");

/** What `device/wasm/native/wasm3-core.c` and `wasm3-module.c` include. */
export const wasm3Mended = ["core", "module"].map((name) => path.join(wasm3, `m3_${name}.c`));

/** The rest of the core, without what lets an app reach the host (`m3_api_…`). */
export const wasm3Sources = ["bind", "code", "env", "exec", "function", "info", "parse"].map((name) =>
  path.join(wasm3, `m3_${name}.c`),
);

/** For its files, and for ours that use them. */
export const wasm3Flags = [
  "-include",
  path.join(root, "device/wasm/native/wasm3-configuration.h"),
  `-isystem${wasm3}`,
];

/** @param directory of a checkout, or of the sources themselves */
function sourcesOf(directory: string): string {
  const sources = path.join(directory, "source");
  return existsSync(sources) ? sources : directory;
}
