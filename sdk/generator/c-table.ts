/** The table in C that the engine calls through: what `device/wasm/native/abi.h` declares. */
import type { AbiFunction, MemoryRange } from "../../device/wasm/abi.js";
import type { Tables } from "./tables.js";

export function cTable({ ABI, ABI_MODULE, capabilityBit }: Tables): string {
  const onApp = ABI.filter(({ runsOn }) => runsOn === "app");
  const rows = ABI.map((abi) => row(abi, abi.capability ? capabilityBit(abi.capability) : 0));
  return `/* The app ABI. Made by \`npm run docs\` from device/wasm/abi.ts; do not edit. */
#include "abi.h"

#include <stddef.h>

const char abiModule[] = "${ABI_MODULE}";

${onApp.map(({ name }) => `extern AbiHandler abi_${name};`).join("\n")}

const AbiFunction abiFunctions[] = {
${rows.join("\n")}
};
const uint32_t abiFunctionCount = ${ABI.length};
`;
}

function row(abi: AbiFunction, capability: number): string {
  const ranges = (abi.bytes ?? []).map((range) => rangeOf(abi, range));
  return `\t{
\t\t.name = "${abi.name}", .capability = ${capability}, .parameterCount = ${abi.parameters.length}, .isWide = ${abi.result === "i64"},
\t\t.handler = ${abi.runsOn === "app" ? `abi_${abi.name}` : "NULL"}, .rangeCount = ${ranges.length},${
    ranges.length ? `\n\t\t.ranges = { ${ranges.join(", ")} },` : ""
  }
\t},`;
}

function rangeOf(abi: AbiFunction, { pointer, length, unitBytes = 1, access }: MemoryRange): string {
  const [first = "", second] = length.map((name) => abi.parameters.indexOf(name));
  return `{ ${abi.parameters.indexOf(pointer)}, ${first}, ${second ?? -1}, ${unitBytes}, ${access === "write"} }`;
}
