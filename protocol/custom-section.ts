/** Puts custom sections into WebAssembly modules (core specification 3.0 §5.5.3), for packers and tests. */
import { Fault } from "./fault.js";
import { fileKindOf } from "./file-kind.js";

const CUSTOM = 0;

/**
 * The module with one more section at its end; one of the same name stays.
 * @throws {Fault} `module_invalid` for what does not begin as a module
 */
export function appendCustomSection(module: Uint8Array, name: string, content: Uint8Array): Uint8Array {
  if (fileKindOf(module) !== "module")
    throw new Fault("module_invalid", `Cannot add "${name}": not a WebAssembly module`);
  const encodedName = new TextEncoder().encode(name);
  const head = [...unsigned(encodedName.length), ...encodedName];
  const start = [CUSTOM, ...unsigned(head.length + content.length), ...head];
  const extended = new Uint8Array(module.length + start.length + content.length);
  extended.set(module);
  extended.set(start, module.length);
  extended.set(content, module.length + start.length);
  return extended;
}

/** LEB128 (§5.2.2) in as few bytes as it takes. */
function unsigned(value: number): number[] {
  const bytes = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
