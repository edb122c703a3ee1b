/**
 * A module of 1 MiB as a compiler makes them, for measuring: the code and data of wabt, a C++ program that
 * comes with the tests, behind the interface of an app. Functions take the place of its imports, its memory
 * is as large as an app's may be, `main` returns at once, and functions are repeated up to the size that is
 * asked for.
 */
import wabt from "wabt";

const HEADER_BYTES = 8;
const TYPES = 1;
const IMPORTS = 2;
const FUNCTIONS = 3;
const MEMORIES = 5;
const EXPORTS = 7;
const CODE = 10;

const MEMORY_PAGES = 64;
/** A function type that takes and gives nothing. */
const NO_VALUES = Uint8Array.of(0x60, 0, 0);
const UNREACHABLE = Uint8Array.of(3, 0, 0x00, 0x0b);
const EMPTY = Uint8Array.of(2, 0, 0x0b);

/** The entries of a vector: how many, and their bytes one after the other. */
interface Vector {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/**
 * What a console takes at most is 1 MiB, with what a package adds to the module.
 * @returns some bytes less than `byteLength`, the same each time; its export `main` takes and gives nothing
 */
export async function largeModule(byteLength = 1016 * 1024): Promise<Uint8Array> {
  const module = await moduleOfWabt();
  const sections = sectionsOf(module);
  const types = vectorOf(sections, TYPES);
  const imported = importedTypes(vectorOf(sections, IMPORTS));
  const code = splitBodies(vectorOf(sections, CODE));
  const own = splitNumbers(vectorOf(sections, FUNCTIONS));
  const repeated = repeatedUpTo(byteLength - module.length, code);
  const main = imported.length + own.length + repeated;
  sections.set(TYPES, vector(types.count + 1, [types.bytes, NO_VALUES]));
  sections.delete(IMPORTS);
  const signatures = [...imported, ...own, ...own.slice(0, repeated), types.count].map(number);
  sections.set(FUNCTIONS, vector(signatures.length, signatures));
  sections.set(MEMORIES, Uint8Array.of(1, 0, MEMORY_PAGES));
  sections.set(EXPORTS, vector(1, [number(4), Buffer.from("main"), number(0), number(main)]));
  const bodies = [...imported.map(() => UNREACHABLE), ...code, ...code.slice(0, repeated), EMPTY];
  sections.set(CODE, vector(bodies.length, bodies));
  return join(module.subarray(0, HEADER_BYTES), sections);
}

/** What wabt hands its module to; Node's own types have none of it. */
const engine = (
  globalThis as unknown as { WebAssembly: { instantiate(bytes: Uint8Array, imports: object): unknown } }
).WebAssembly;

/** Its module is within its JavaScript. */
async function moduleOfWabt(): Promise<Uint8Array> {
  const { instantiate } = engine;
  let module: Uint8Array | undefined;
  engine.instantiate = (bytes, imports) => {
    module ??= new Uint8Array(bytes);
    return instantiate(bytes, imports);
  };
  try {
    await wabt();
  } finally {
    engine.instantiate = instantiate;
  }
  if (!module) throw new Error("wabt has not handed its module to WebAssembly.instantiate");
  return module;
}

function sectionsOf(module: Uint8Array): Map<number, Uint8Array> {
  const sections = new Map<number, Uint8Array>();
  for (let at = HEADER_BYTES; at < module.length; ) {
    const length = readNumber(module, at + 1);
    sections.set(module[at] as number, module.subarray(length.end, length.end + length.value));
    at = length.end + length.value;
  }
  sections.delete(0);
  return sections;
}

/** How many bodies, from the first on, are wanted again for so many bytes more. */
function repeatedUpTo(byteLength: number, bodies: readonly Uint8Array[]): number {
  let wanted = byteLength;
  return bodies.findIndex(({ length }) => {
    wanted -= length;
    return wanted < 0;
  });
}

function vectorOf(sections: ReadonlyMap<number, Uint8Array>, id: number): Vector {
  const section = sections.get(id) ?? Uint8Array.of(0);
  const { value, end } = readNumber(section, 0);
  return { count: value, bytes: section.subarray(end) };
}

function splitNumbers({ bytes }: Vector): number[] {
  const values: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = readNumber(bytes, at);
    values.push(value);
    at = end;
  }
  return values;
}

/** Each with its length before it. */
function splitBodies({ bytes }: Vector): Uint8Array[] {
  const bodies: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = readNumber(bytes, at);
    bodies.push(bytes.subarray(at, end + value));
    at = end + value;
  }
  return bodies;
}

/** The types of the imports, which are functions all. */
function importedTypes({ bytes }: Vector): number[] {
  const types: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const module = readNumber(bytes, at);
    const name = readNumber(bytes, module.end + module.value);
    const type = readNumber(bytes, name.end + name.value + 1);
    types.push(type.value);
    at = type.end;
  }
  return types;
}

/** Unsigned LEB128 (WebAssembly §5.2.2). */
function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  const byte = bytes[at] as number;
  if (byte < 0x80) return { value: byte, end: at + 1 };
  const { value, end } = readNumber(bytes, at + 1);
  return { value: value * 128 + (byte & 0x7f), end };
}

function number(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, value);
}

function vector(count: number, entries: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([number(count), ...entries]);
}

function join(header: Uint8Array, sections: ReadonlyMap<number, Uint8Array>): Uint8Array {
  const parts = [...sections].flatMap(([id, content]) => [
    Uint8Array.of(id),
    number(content.length),
    content,
  ]);
  return Buffer.concat([header, ...parts]);
}
