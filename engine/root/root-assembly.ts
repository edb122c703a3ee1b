/**
 * The root as assembly: words that are addresses of the maker's functions and constants become references to their
 * names, which the board's linker resolves. Functions that the root does not name are left out of the board.
 */
import type { Root } from "./root-files.js";

const WORD_BYTES = 4;

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
  symbols: Root["symbols"],
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
