/** wasm3: where its sources are, which of them we take, and how they are configured. */
import { existsSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");

/** The npm package, or the checkout that `WASM3` names. */
export const wasm3 = sourcesOf(process.env["WASM3"] ?? path.join(root, "node_modules/wasm3/cpp"));

/** Compiler and interpreter. `device/wasm/native/wasm3-interpreter.c` includes it. */
export const wasm3Compiler = path.join(wasm3, "m3_compile.c");

/** The rest of the core, without what lets an app reach the host (`m3_api_…`). */
export const wasm3Sources = [
  "bind",
  "code",
  "core",
  "env",
  "exec",
  "function",
  "info",
  "module",
  "parse",
].map((name) => path.join(wasm3, `m3_${name}.c`));

/**
 * wasm3 allocates slots up to a limit, and beyond it, without looking, room for what a call gives back. A
 * function has at most `d_m3MaxFunctionStackHeight` values of two slots, so that a limit this high is never
 * reached: twice that, 120 constants, and two results of a thousand values.
 */
export const wasm3Definitions = [
  "-Dd_m3MaxFunctionSlots=(d_m3MaxFunctionStackHeight*2+4200)",
  "-Dd_m3VerboseErrorMessages=0",
];

/** @param {string} directory of a checkout, or of the sources themselves */
function sourcesOf(directory) {
  const sources = path.join(directory, "source");
  return existsSync(sources) ? sources : directory;
}
