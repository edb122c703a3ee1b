/** What the bindings of languages with slices or arrays have in common: a slice stands for an address and a length. */
import type { AbiFunction, MemoryRange } from "../../device/wasm/abi.js";

/** The memory that a parameter points to. */
export function rangeAt(abi: AbiFunction, pointer: string): MemoryRange | undefined {
  return abi.bytes?.find((range) => range.pointer === pointer);
}

/** The length of a range of bytes is that of its slice; of wider units the app says how many there are. */
export function isBytes({ unitBytes = 1 }: MemoryRange): boolean {
  return unitBytes === 1;
}

/** Parameters that are no parameters of the binding, since slices have them. */
export function lengthsOfSlices(abi: AbiFunction): ReadonlySet<string> {
  return new Set((abi.bytes ?? []).filter(isBytes).flatMap(({ length }) => length));
}

/** What a binding calls a parameter, `ptr` for what it points to. */
export function nameOf(abi: AbiFunction, name: string): string {
  const range = rangeAt(abi, name);
  if (!range || name !== "ptr") return name;
  if (range.isText) return "text";
  if (!isBytes(range)) return "pixels";
  return range.access === "write" ? "into" : "bytes";
}

export function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}
