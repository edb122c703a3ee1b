/** Adds custom sections to WebAssembly modules (core specification 3.0 §5.5.3), for packers and tests. */
import { Fault } from "./fault.js";
import { fileKindOf } from "./file-kind.js";

const CUSTOM = 0;

/**
 * Returns a copy of `module` with the section appended. An existing section of the same name stays.
 * @throws {Fault} `module_invalid` when `module` lacks the WebAssembly magic
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

/** Unsigned LEB128 (§5.2.2) in the shortest form. */
export function unsigned(value: number): number[] {
  const bytes = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
