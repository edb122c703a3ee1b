/** Searches the lines of the log, ignoring case. */
import type { LogBlock } from "./log-book.js";

/** A part of a text: a match, or text between two matches. */
export interface Piece {
  readonly text: string;
  readonly isFound: boolean;
}

/** @returns `undefined` for an empty query */
export function patternOf(query: string): RegExp | undefined {
  if (query === "") return undefined;
  // Converting both sides to lower case would shift positions: some letters change their length.
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
}

/** Splits `text` into matches of the pattern and the text between them. */
export function piecesOf(text: string, pattern: RegExp | undefined): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of pattern ? text.matchAll(pattern) : []) {
    if (found.index > end) pieces.push({ text: text.slice(end, found.index), isFound: false });
    pieces.push({ text: found[0], isFound: true });
    end = found.index + found[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isFound: false });
  return pieces;
}

/** Distributes the pieces over consecutive fields of these lengths; cuts a piece that spans two fields. */
export function piecesIn(pieces: readonly Piece[], lengths: readonly number[]): Piece[][] {
  const left = [...pieces];
  return lengths.map((length) => {
    const taken: Piece[] = [];
    for (let room = length; room > 0; ) {
      const piece = left.shift();
      if (!piece) break;
      taken.push({ ...piece, text: piece.text.slice(0, room) });
      if (piece.text.length > room) left.unshift({ ...piece, text: piece.text.slice(room) });
      room -= piece.text.length;
    }
    return taken;
  });
}

/** Numbers of the lines that match, ascending. */
export function linesWith(blocks: readonly LogBlock[], pattern: RegExp | undefined): number[] {
  if (!pattern) return [];
  const found: number[] = [];
  for (const { entries } of blocks)
    for (const entry of entries)
      if (entry.kind !== "restart" && entry.text.search(pattern) >= 0) found.push(entry.number);
  return found;
}

/**
 * The matching line after or before `current`, wrapping around at either end; without `current`, the newest.
 * @returns `undefined` if no line matches
 */
export function neighbour(
  found: readonly number[],
  current: number | undefined,
  step: 1 | -1,
): number | undefined {
  if (current === undefined) return found.at(-1);
  if (step > 0) return found.find((number) => number > current) ?? found[0];
  return found.filter((number) => number < current).at(-1) ?? found.at(-1);
}
