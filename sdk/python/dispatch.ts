/** Generates the part of the shim that depends on the ABI: `shim/dispatch.ts`, and the names of the functions. */
import { ABI, type AbiFunction } from "../../device/wasm/abi.js";
import { FIRMWARE_CAPABILITY } from "../../protocol/capabilities.js";

/** What only a runtime calls: the module `js` has it behind the functions of scripts. */
const OF_RUNTIMES: ReadonlySet<string> = new Set(["script_size", "script_read", "stack_left"]);

/** The functions that scripts can call, in the order of their numbers. */
export const SCRIPT_FUNCTIONS: readonly AbiFunction[] = Object.freeze(
  ABI.filter(({ name, capability }) => capability !== FIRMWARE_CAPABILITY && !OF_RUNTIMES.has(name)),
);

/** Names of all that the module `js` has, as shim/functions.ts expects them. */
export const NAMES = [
  ...SCRIPT_FUNCTIONS.map(({ name }) => name),
  "log_errors",
  "end",
  "script_size",
  "script_read",
  "names",
]
  .map((name) => `${name} `)
  .join("");

/** Source of `shim/dispatch.ts`. */
export function dispatchSource(): string {
  return `import { raw } from "svc";

export const FUNCTIONS: i32 = ${SCRIPT_FUNCTIONS.length};

/** Calls a function of the ABI with the parameters at \`p\`. */
export function callFunction(index: i32, count: i32, p: usize, invalid: i64): i64 {
  switch (index) {
${SCRIPT_FUNCTIONS.map(branch).join("\n")}
  }
  return invalid;
}
`;
}

function branch({ name, parameters }: AbiFunction, index: number): string {
  const values = parameters.map((_, position) => `load<i32>(p, ${position * 4})`);
  return `    case ${index}: return count == ${parameters.length} ? i64(raw.${name}(${values.join(", ")})) : invalid;`;
}
