/**
 * Changed modules of the corpus, 10,000 in `npm test` and 100,000 in the other tiers: bits flipped, bytes set, pieces of another module put in, cut
 * short, numbers lengthened. The seed is printed; `SVC_FUZZ_SEED` takes it back, `SVC_FUZZ_COUNT` runs longer.
 */
import { expect, test } from "vitest";
import { inTier } from "../../tier.js";
import { isCorpusMissing, readCorpus } from "./corpus.js";
import { compareWithV8 } from "./verdicts.js";

const COUNT = Number(
  process.env["SVC_FUZZ_COUNT"] ?? inTier({ quick: 10_000, sample: 100_000, nightly: 100_000 }),
);
const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0 || 1;
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

test.skipIf(isCorpusMissing)(
  `V8 and the validator agree about ${COUNT} changed modules, seed ${SEED} (skipped where ../shared/testdata is absent)`,
  { timeout: Math.max(120_000, COUNT) },
  () => {
    console.log(`changed modules: SVC_FUZZ_SEED=${SEED}`);
    const corpus = readCorpus()
      .map(({ bytes }) => bytes)
      .filter(({ length }) => length > PREAMBLE_BYTES && length < MODULE_LIMIT_BYTES);
    const valid = corpus.filter((bytes) => compareWithV8(bytes).isTaken);
    const below = random(SEED);
    let taken = 0;
    for (let round = 0; round < COUNT; round++) {
      const from = round % 2 === 0 ? valid : corpus;
      let bytes = from[below(from.length)] as Bytes;
      const original = bytes;
      for (let changes = 1 + below(3); changes > 0 && bytes.length > PREAMBLE_BYTES; changes--) {
        const at = PREAMBLE_BYTES + below(bytes.length - PREAMBLE_BYTES);
        bytes = (CHANGES[below(CHANGES.length)] as Change)(
          bytes,
          at,
          below,
          corpus[below(corpus.length)] as Bytes,
        );
      }
      const { disagreement, isTaken } = compareWithV8(bytes);
      if (isTaken && bytes !== original) taken++;
      if (disagreement === undefined) continue;
      expect.fail(`${disagreement} (seed ${SEED}, round ${round}): ${Buffer.from(bytes).toString("hex")}`);
    }
    expect(taken).toBeGreaterThan(COUNT / 50);
  },
);
