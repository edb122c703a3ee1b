/**
 * Sections of a module (core specification 3.0 §5.5), for what builds modules, and runs them otherwise than the console's
 * interpreter: native images, and the player in a browser. Of a module that is not valid they are whatever its bytes say, within its bounds.
 */
import { appendCustomSection, unsigned } from "./custom-section.js";

const HEAD_BYTES = 8;
const CUSTOM = 0;
const IMPORTS = 2;
const EXPORTS = 7;
const START = 8;
const CODE = 10;
const FUNCTION = 0;
const MEMORY = 2;
const FUNCTION_NAMES = 1;

interface ModuleSection {
  readonly id: number;
  /** Of the whole section, its head included. */
  readonly start: number;
  readonly contentStart: number;
  readonly end: number;
}

/** Reads unsigned LEB128 and names (§5.2). */
class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  /** @param end of the section: custom ones are not validated, and what they hold may be cut off */
  constructor(bytes: Uint8Array, at: number, end = bytes.length) {
    this.#bytes = bytes.subarray(0, end);
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  /** 0 beyond the end, which ends a number. */
  byte(): number {
    return this.#bytes[this.at++] ?? 0;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  name(): string {
    const length = this.number();
    this.at += length;
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      this.#bytes.subarray(this.at - length, this.at),
    );
  }
}

function* sectionsOf(module: Uint8Array): Generator<ModuleSection> {
  for (let start = HEAD_BYTES; start < module.length; ) {
    const reader = new Reader(module, start);
    const id = reader.byte();
    const byteLength = reader.number();
    const end = reader.at + byteLength;
    yield { id, start, contentStart: reader.at, end };
    start = end;
  }
}

/**
 * The module without its exports and custom sections. `wasm2c` names functions after exports; without them, after their
 * index alone.
 */
export function withoutNames(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept = [...sectionsOf(module)].filter(({ id }) => id !== CUSTOM && id !== EXPORTS);
  return joined([
    module.subarray(0, HEAD_BYTES),
    ...kept.map(({ start, end }) => module.subarray(start, end)),
  ]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What {@link exposed} exports, by names that no other export has; `undefined` for what the module lacks. */
export interface ExposedModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly memory: string | undefined;
  /** The start function, which does not run by itself any more. */
  readonly start: string | undefined;
}

/**
 * The module with its memory and its start function exported, since an engine behind the JavaScript interface reaches
 * neither of them otherwise: the memory before the start function has ended, or at all where a module keeps it to itself.
 */
export function exposed(module: Uint8Array, hasMemory: boolean): ExposedModule {
  const sections = [...sectionsOf(module)];
  const startSection = sections.find(({ id }) => id === START);
  const { names, content: oldExports } = exportsOf(module, sections);
  const added: Uint8Array[] = [];
  const add = (wanted: string, kind: number, index: number): string => {
    let name = wanted;
    while (names.has(name)) name += "'";
    const text = new TextEncoder().encode(name);
    added.push(Uint8Array.from([...unsigned(text.length), ...text, kind, ...unsigned(index)]));
    return name;
  };
  const memory = hasMemory ? add("memory of the app", MEMORY, 0) : undefined;
  const start = startSection
    ? add("start of the app", FUNCTION, new Reader(module, startSection.contentStart).number())
    : undefined;
  const content = joined([Uint8Array.from(unsigned(names.size + added.length)), oldExports, ...added]);
  const exportSection = joined([Uint8Array.from([EXPORTS, ...unsigned(content.length)]), content]);
  // Sections stand in the order of their numbers, but for custom ones and the data count (12), which is after this one.
  const place = sections.findIndex(({ id }) => id >= EXPORTS);
  const before = place < 0 ? sections : sections.slice(0, place);
  const after = place < 0 ? [] : sections.slice(place).filter(({ id }) => id !== EXPORTS && id !== START);
  const bytesOf = ({ start: from, end }: ModuleSection) => module.subarray(from, end);
  const bytes = joined([
    module.subarray(0, HEAD_BYTES),
    ...before.map(bytesOf),
    exportSection,
    ...after.map(bytesOf),
  ]);
  return { bytes, memory, start };
}

/** @returns the names of all exports, and the exports as they stand in their section, without their number */
function exportsOf(module: Uint8Array, sections: readonly ModuleSection[]) {
  const names = new Set<string>();
  const section = sections.find(({ id }) => id === EXPORTS);
  if (!section) return { names, content: new Uint8Array(0) };
  const reader = new Reader(module, section.contentStart);
  const count = reader.number();
  const first = reader.at;
  for (let left = count; left > 0; left--) {
    names.add(reader.name());
    reader.byte();
    reader.number();
  }
  return { names, content: module.subarray(first, section.end) };
}

/** The module without the custom sections whose names `isDropped` says. */
export function withoutCustomSections(module: Uint8Array, isDropped: (name: string) => boolean): Uint8Array {
  const kept = [...sectionsOf(module)].filter(
    ({ id, contentStart, end }) => id !== CUSTOM || !isDropped(new Reader(module, contentStart, end).name()),
  );
  return joined([
    module.subarray(0, HEAD_BYTES),
    ...kept.map(({ start, end }) => module.subarray(start, end)),
  ]);
}

/** The content of the first custom section of that name. */
export function customSection(module: Uint8Array, name: string): Uint8Array | undefined {
  for (const { id, contentStart, end } of sectionsOf(module)) {
    const reader = new Reader(module, contentStart, end);
    if (id === CUSTOM && reader.name() === name) return module.subarray(reader.at, end);
  }
  return undefined;
}

/** The module with its functions under other names in the section `name`, which then has nothing else. */
export function withFunctionNames(module: Uint8Array, rename: (name: string) => string): Uint8Array {
  const names = [...functionNames(module)].map(([index, name]) => {
    const text = new TextEncoder().encode(rename(name));
    return [...unsigned(index), ...unsigned(text.length), ...text];
  });
  const map = [...unsigned(names.length), ...names.flat()];
  const content = Uint8Array.from([FUNCTION_NAMES, ...unsigned(map.length), ...map]);
  return appendCustomSection(
    withoutCustomSections(module, (name) => name === "name"),
    "name",
    content,
  );
}

/** Bytes of a function's body in a module, without its length. */
export interface FunctionBody {
  readonly from: number;
  readonly to: number;
}

/** Where the content of the code section begins; `undefined` where there is none. */
export function codeStart(module: Uint8Array): number | undefined {
  for (const { id, contentStart } of sectionsOf(module)) if (id === CODE) return contentStart;
  return undefined;
}

/** The bodies of the module's own functions (§5.5.13), and where the content of their section begins. */
export function functionBodies(module: Uint8Array): { start: number; bodies: readonly FunctionBody[] } {
  const start = codeStart(module);
  if (start === undefined) return { start: 0, bodies: [] };
  const reader = new Reader(module, start);
  const bodies = Array.from({ length: reader.number() }, () => {
    const byteLength = reader.number();
    const from = reader.at;
    reader.at += byteLength;
    return { from, to: reader.at };
  });
  return { start, bodies };
}

/** Names of the imported functions, by their indexes (§5.5.5): apps import nothing else. */
export function importedNames(module: Uint8Array): readonly string[] {
  for (const { id, contentStart } of sectionsOf(module)) {
    if (id !== IMPORTS) continue;
    const reader = new Reader(module, contentStart);
    return Array.from({ length: reader.number() }, () => {
      reader.name();
      const name = reader.name();
      reader.byte();
      reader.number();
      return name;
    });
  }
  return [];
}

/** Functions by the names of their exports (§5.5.10). */
export function exportedFunctions(module: Uint8Array): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { id, contentStart } of sectionsOf(module)) {
    if (id !== EXPORTS) continue;
    const reader = new Reader(module, contentStart);
    for (let left = reader.number(); left > 0; left--) {
      const name = reader.name();
      const kind = reader.byte();
      const index = reader.number();
      if (kind === FUNCTION) found.set(name, index);
    }
  }
  return found;
}

/** Names of functions by their index, from the section `name` (appendix, §7.4); those that it does not have are missing. */
export function functionNames(module: Uint8Array): ReadonlyMap<number, string> {
  for (const { id, contentStart, end } of sectionsOf(module)) {
    const reader = new Reader(module, contentStart, end);
    if (id !== CUSTOM || reader.name() !== "name") continue;
    while (reader.at < end) {
      const kind = reader.byte();
      const partEnd = reader.number() + reader.at;
      if (kind === FUNCTION_NAMES) return readNames(reader);
      reader.at = partEnd;
    }
  }
  return new Map();
}

function readNames(reader: Reader): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (let left = reader.number(); left > 0 && !reader.isAtEnd; left--)
    names.set(reader.number(), reader.name());
  return names;
}
