/**
 * Makes the module of a script app: the runtime with the memory that the manifest asks for, without the functions that
 * it does not permit, and with the script in its section.
 */
import binaryen from "binaryen";
import type { AbiFunction } from "../../device/wasm/abi.js";
import { appendCustomSection } from "../../protocol/custom-section.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { dataSegments, PAGE_BYTES, setMemory } from "./binaryen-parts.js";
import { SCRIPT_FUNCTIONS } from "./dispatch.js";
import { FEATURES } from "./micropython-module.js";

/** `SVC_ERROR_NOT_PERMITTED`. */
const NOT_PERMITTED = -1;

/**
 * A console refuses a module that imports what its manifest does not permit, so a script's calls of these functions
 * return `SVC_ERROR_NOT_PERMITTED` within the module.
 */
export function scriptModule(runtime: Uint8Array, manifest: Manifest, script: Uint8Array): Uint8Array {
  const module = binaryen.readBinaryWithFeatures(runtime, FEATURES);
  const { initial: initialPages } = module.getMemoryInfo();
  const maximumPages = Math.floor(manifest.memory_quota / PAGE_BYTES);
  setMemory(module, { initialPages, maximumPages }, dataSegments(module));
  const forbidden = new Set(forbiddenTo(manifest).map(({ name }) => name));
  for (const { name, base, params, results } of importsOf(module)) {
    if (!base || !forbidden.has(base)) continue;
    module.removeFunction(name);
    module.addFunction(name, params, results, [], module.i32.const(NOT_PERMITTED));
  }
  // Binaryen's settings are of the process, and whatever was compiled before has left its own.
  binaryen.setDebugInfo(false);
  binaryen.setOptimizeLevel(2);
  binaryen.setShrinkLevel(1);
  const bytes = module.emitBinary();
  module.dispose();
  return appendCustomSection(bytes, "svc_py_script", script);
}

/** The functions whose capability the manifest does not declare. */
export function forbiddenTo({ capabilities }: Pick<Manifest, "capabilities">): readonly AbiFunction[] {
  const declared: readonly string[] = capabilities;
  return SCRIPT_FUNCTIONS.filter(({ capability }) => capability && !declared.includes(capability));
}

function importsOf(module: binaryen.Module): binaryen.FunctionInfo[] {
  return Array.from({ length: module.getNumFunctions() }, (_, index) =>
    binaryen.getFunctionInfo(module.getFunctionByIndex(index)),
  ).filter(({ base }) => base);
}
