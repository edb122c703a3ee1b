/** Changed inputs for differential tests. `SVC_FUZZ_SEED` takes a printed seed back. */

export const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0 || 1;

export type Below = (limit: number) => number;

/** Marsaglia's xorshift: the whole run follows from the seed. */
export function random(seed: number): Below {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/**
 * One of `texts` with one to four changes: bytes flipped, set, put in and left out, and pieces put in.
 * @param texts one character a byte
 * @param pieces what belongs to the format
 */
export function mutated(texts: readonly string[], pieces: readonly string[], below: Below): Uint8Array {
  let text = texts[below(texts.length)] as string;
  for (let changes = below(5); changes > 0; changes--) {
    const at = below(text.length + 1);
    const piece = pieces[below(pieces.length)] as string;
    const other = texts[below(texts.length)] as string;
    const from = below(other.length);
    const byte = String.fromCharCode(below(256));
    const added = [piece, byte, "", piece.repeat(1 + below(40)), other.slice(from, from + below(60))];
    text = text.slice(0, at) + (added[below(added.length)] as string) + text.slice(at + below(3) * below(9));
  }
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
