/**
 * The root as an object file: words that are addresses of the maker's functions and constants become references to their
 * names, which the board's linker resolves. Functions that the root does not name are left out of the board.
 */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { COMPILER_FLAGS, compile } from "./toolchain.js";

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

/**
 * @param directory with the files `root` and `root-references`
 * @param maker the executable that wrote them
 * @returns the object
 * @throws {Error} if the root refers to something without a global name
 */
export async function rootObject(directory: string, maker: string): Promise<string> {
  const root = await readFile(path.join(directory, "root"));
  const offsets = wordsOf(await readFile(path.join(directory, "root-references")));
  const symbols = await symbolsOf(maker);
  const source = path.join(directory, "root.s");
  const object = path.join(directory, "root.o");
  await writeFile(source, rootAssembly(root, offsets, symbols));
  await compile([...COMPILER_FLAGS, `-Wa,-I${directory}`, "-c", source, "-o", object]);
  return object;
}

/** @param offsets of the references, in bytes, in any order */
export function rootAssembly(root: Buffer, offsets: number[], symbols: GlobalSymbol[]): string {
  const lines = [`.section .root, "a"`];
  let from = 0;
  for (const offset of [...offsets].sort((left, right) => left - right)) {
    if (offset > from) lines.push(`.incbin "root", ${from}, ${offset - from}`);
    lines.push(`.word ${referenceTo(root.readUInt32LE(offset), symbols)}`);
    from = offset + WORD_BYTES;
  }
  lines.push(`.incbin "root", ${from}, ${root.length - from}`, "");
  return lines.join("\n");
}

function referenceTo(address: number, symbols: GlobalSymbol[]): string {
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
