/** What the maker has written (maker/root-maker.c). */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { readElf } from "./elf.js";

interface GlobalSymbol {
  readonly name: string;
  readonly address: number;
  readonly byteLength: number;
}

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
 * @param directory in which the maker ran
 * @param maker the executable
 * @param address that it was given
 */
export async function readRoot(directory: string, maker: string, address: number): Promise<Root> {
  const read = (name: string) => readFile(path.join(directory, name));
  const { symbols } = readElf(await readFile(maker));
  return {
    bytes: await read("root"),
    references: wordsOf(await read("root-references")),
    pointers: wordsOf(await read("root-pointers")),
    address,
    symbols: symbols.filter(({ isGlobal, byteLength }) => isGlobal && byteLength > 0),
  };
}

function wordsOf(bytes: Buffer): number[] {
  const step = Uint32Array.BYTES_PER_ELEMENT;
  return Array.from({ length: bytes.length / step }, (_, index) => bytes.readUInt32LE(index * step));
}
