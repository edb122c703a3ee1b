/**
 * Makes a module of 1 MiB that is typical of compilers, for benchmarks: the code and data of wabt, a C++ program
 * among the test dependencies, with the interface of an app. Functions replace its imports, its memory has the
 * maximum size for an app, `main` returns at once, and functions are repeated up to the requested size.
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
/** A function type without parameters and results. */
const NO_VALUES = Uint8Array.of(0x60, 0, 0);
const UNREACHABLE = Uint8Array.of(3, 0, 0x00, 0x0b);
const EMPTY = Uint8Array.of(2, 0, 0x0b);

/** A vector of the binary format: its number of entries, and their concatenated bytes. */
interface Vector {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/**
 * Makes the module. The default size leaves room for what a package adds, since a console accepts at most 1 MiB.
 * @returns slightly fewer bytes than `byteLength`, the same each time; the export `main` has no parameters and
 *   results
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

/** The global that wabt passes its module to; Node's types do not declare it. */
const engine = (
  globalThis as unknown as { WebAssembly: { instantiate(bytes: Uint8Array, imports: object): unknown } }
).WebAssembly;

/** Intercepts the module that wabt's JavaScript embeds. */
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

/** Returns how many bodies, from the first on, fit into `byteLength` when repeated. */
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

/** Splits code into bodies, each with its length prefix. */
function splitBodies({ bytes }: Vector): Uint8Array[] {
  const bodies: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { value, end } = readNumber(bytes, at);
    bodies.push(bytes.subarray(at, end + value));
    at = end + value;
  }
  return bodies;
}

/** Returns the type indexes of the imports, which are all functions. */
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
