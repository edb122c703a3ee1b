/**
 * Changed modules of the corpus: bits flipped, bytes set, pieces of another module put in, cut short, numbers lengthened.
 * Everything follows from the seed; `SVC_FUZZ_SEED` takes a printed one back, `SVC_FUZZ_COUNT` sets the count.
 */
import { inTier } from "../../tier.js";
import { readCorpus } from "./corpus.js";

export const COUNT = Number(
  process.env["SVC_FUZZ_COUNT"] ?? inTier({ quick: 2_000, sample: 10_000, nightly: 100_000 }),
);
export const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0 || 1;
const MODULE_LIMIT_BYTES = 3000;
const PREAMBLE_BYTES = 8;

/** Marsaglia's xorshift: the whole run follows from the seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

type Bytes = Uint8Array<ArrayBuffer>;
type Change = (bytes: Bytes, at: number, below: (limit: number) => number, other: Bytes) => Bytes;

function splice(bytes: Bytes, at: number, removed: number, added: ArrayLike<number>): Bytes {
  const rest = bytes.subarray(Math.min(bytes.length, at + removed));
  const changed = new Uint8Array(at + added.length + rest.length);
  changed.set(bytes.subarray(0, at));
  changed.set(added, at);
  changed.set(rest, at + added.length);
  return changed;
}

const CHANGES: readonly Change[] = [
  (bytes, at, below) => splice(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << below(8))]),
  (bytes, at, below) => splice(bytes, at, 1, [below(256)]),
  (bytes, at, below) =>
    splice(bytes, at, 1, [[0x20, 0x41, 0x0b, 0x0c, 0x0d, 0x0f, 0x10, 0x1a][below(8)] ?? 0]),
  (bytes, at, below, other) => {
    const from = below(other.length);
    const length = below(40);
    return splice(bytes, at, below(length + 1), other.subarray(from, from + length));
  },
  (bytes, at) => bytes.slice(0, at),
  (bytes, at) => splice(bytes, at, 1, [(bytes[at] ?? 0) | 0x80, 0]),
  (bytes, at, below) => splice(bytes, at, 0, [below(256)]),
  (bytes, at, below) => splice(bytes, at, 1 + below(3), []),
];

/**
 * @param isStart whether to start from a module in every second round; from any of the corpus in the others
 * @param take called for each module with its round
 */
export function eachChangedModule(
  isStart: (bytes: Bytes) => boolean,
  take: (bytes: Bytes, round: number, below: (limit: number) => number, isChanged: boolean) => void,
): void {
  const corpus = readCorpus()
    .map(({ bytes }) => bytes)
    .filter(({ length }) => length > PREAMBLE_BYTES && length < MODULE_LIMIT_BYTES);
  const starts = corpus.filter(isStart);
  const below = random(SEED);
  for (let round = 0; round < COUNT; round++) {
    const from = round % 2 === 0 ? starts : corpus;
    let bytes = from[below(from.length)] as Bytes;
    const original = bytes;
    for (let changes = 1 + below(3); changes > 0 && bytes.length > PREAMBLE_BYTES; changes--) {
      const at = PREAMBLE_BYTES + below(bytes.length - PREAMBLE_BYTES);
      const change = CHANGES[below(CHANGES.length)] as Change;
      bytes = change(bytes, at, below, corpus[below(corpus.length)] as Bytes);
    }
    take(bytes, round, below, bytes !== original);
  }
}
