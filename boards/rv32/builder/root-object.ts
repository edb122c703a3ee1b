/**
 * The root as an object file: words that are addresses of the maker's functions and constants become references to their
 * names, which the board's linker resolves. Functions that the root does not name are left out of the board.
 */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { COMPILER_FLAGS, compile, MEMORY } from "./toolchain.js";

const run = promisify(execFile);

const NM = "riscv64-unknown-elf-nm";
const WORD_BYTES = 4;

/** Address, size, kind and name of a symbol that other objects can refer to. */
const GLOBAL_SYMBOL = /^([0-9a-f]+) ([0-9a-f]+) [A-Z] (\S+)$/gm;

interface GlobalSymbol {
  readonly name: string;
  readonly address: number;
  readonly byteLength: number;
}

/** What a maker has written. */
export interface Root {
  readonly bytes: Buffer;
  /** Offsets of words that are addresses of functions and constants. */
  readonly references: readonly number[];
  /** Offsets of words that are addresses in the root itself, which begins at `address`. */
  readonly pointers: readonly number[];
  readonly address: number;
  /** Of the maker. */
  readonly symbols: readonly GlobalSymbol[];
}

/**
 * @param directory with the files `root`, `root-references` and `root-pointers`
 * @param maker the executable that wrote them
 */
export async function readRoot(directory: string, maker: string): Promise<Root> {
  const read = (name: string) => readFile(path.join(directory, name));
  return {
    bytes: await read("root"),
    references: wordsOf(await read("root-references")),
    pointers: wordsOf(await read("root-pointers")),
    address: MEMORY.flash + MEMORY.flashBytes / 2,
    symbols: await symbolsOf(maker),
  };
}

/**
 * @param directory with the file `root`
 * @returns the object
 * @throws {Error} if the root refers to something without a global name
 */
export async function rootObject(directory: string, root: Root): Promise<string> {
  const source = path.join(directory, "root.s");
  const object = path.join(directory, "root.o");
  await writeFile(source, rootAssembly(root));
  await compile([...COMPILER_FLAGS, `-Wa,-I${directory}`, "-c", source, "-o", object]);
  return object;
}

/** For the board whose linker puts the root at the address that the maker was told. */
export function rootAssembly(root: Pick<Root, "bytes" | "references" | "symbols">): string {
  return [`.section .root, "a"`, ...wordsAndBytes(root, root.references), ""].join("\n");
}

/** For a board whose linker puts the root wherever it likes. Sizes and byte order of words are the same. */
export function movableRootAssembly(root: Root, section: string): string {
  return [
    `.section ${section}, "a"`,
    ".balign 8",
    ".global __root_start, __root_end",
    "__root_start:",
    ...wordsAndBytes(root, [...root.references, ...root.pointers]),
    "__root_end:",
    "",
  ].join("\n");
}

/** @param offsets of the words that are addresses, in any order */
function wordsAndBytes(
  { bytes, symbols, ...own }: Pick<Root, "bytes" | "symbols"> & Partial<Root>,
  offsets: readonly number[],
): string[] {
  const lines: string[] = [];
  let from = 0;
  for (const offset of [...offsets].sort((left, right) => left - right)) {
    if (offset > from) lines.push(`.incbin "root", ${from}, ${offset - from}`);
    lines.push(`.word ${referenceTo(bytes.readUInt32LE(offset), symbols, own.address, bytes.length)}`);
    from = offset + WORD_BYTES;
  }
  return [...lines, `.incbin "root", ${from}, ${bytes.length - from}`];
}

function referenceTo(
  address: number,
  symbols: readonly GlobalSymbol[],
  root: number | undefined,
  rootBytes: number,
): string {
  if (root !== undefined && address >= root && address < root + rootBytes)
    return `__root_start + ${address - root}`;
  const symbol = symbols.find(
    (candidate) => address >= candidate.address && address < candidate.address + candidate.byteLength,
  );
  if (!symbol) throw new Error(`The root refers to 0x${address.toString(16)}, which has no global name`);
  return address === symbol.address ? symbol.name : `${symbol.name} + ${address - symbol.address}`;
}

function wordsOf(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / WORD_BYTES }, (_, index) =>
    bytes.readUInt32LE(index * WORD_BYTES),
  );
}

async function symbolsOf(elf: string): Promise<GlobalSymbol[]> {
  const { stdout } = await run(NM, ["--print-size", "--extern-only", elf], { maxBuffer: 16 << 20 });
  return [...stdout.matchAll(GLOBAL_SYMBOL)].map(([, address = "", size = "", name = ""]) => ({
    name,
    address: Number.parseInt(address, 16),
    byteLength: Number.parseInt(size, 16),
  }));
}
