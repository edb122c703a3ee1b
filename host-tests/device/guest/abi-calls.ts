/** Modules whose exports each make one call of the app ABI, generated from its table. */

import { ABI, type AbiFunction } from "../../../device/wasm/abi.js";
import { capabilityBit, FIRMWARE_CAPABILITY } from "../../../protocol/capabilities.js";

/** One call: an export, the function that it calls, and the parameters that it passes. */
export interface AbiCall {
  readonly entry: string;
  readonly abi: AbiFunction;
  readonly parameters: readonly number[];
}

export const ALL_CAPABILITIES = 2 * capabilityBit(FIRMWARE_CAPABILITY) - 1;

export const MEMORY_BYTES = 65_536;

/** Parameters with which a call is right: nothing is read and nothing filled. */
export function harmless(abi: AbiFunction): number[] {
  return abi.parameters.map(() => 0);
}

/** Imports all functions, and exports each call; what a call returns is the exit code. */
export function moduleOf(calls: readonly AbiCall[], functions: readonly AbiFunction[] = ABI): string {
  const imports = functions.map(
    (abi) => `(import "svc" "${abi.name}" (func $${abi.name} ${parametersOf(abi)} (result ${abi.result})))`,
  );
  const exports = calls.map(({ entry, abi, parameters }) => {
    const pushed = parameters.map((value) => `(i32.const ${value})`).join(" ");
    const wrap = abi.result === "i64" ? "i32.wrap_i64" : "";
    return `(func (export "${entry}") (result i32) (call $${abi.name} ${pushed}) ${wrap})`;
  });
  return [...imports, '(memory (export "memory") 1)', ...exports].join("\n");
}

export function parametersOf(abi: AbiFunction): string {
  return abi.parameters.length ? `(param ${abi.parameters.map(() => "i32").join(" ")})` : "";
}
