import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PIECE_BYTES } from "../../../../protocol/package/gzip-reader.js";
import { FIXED, FIXED_END, stream } from "./deflate-bits.js";
import { DEFLATE_STREAMS } from "./deflate-streams.js";
import { Inflater, inflate, inflateByZlib } from "./inflating.js";
import { mixture, randomBytes, words } from "./samples.js";

const invalid = expect.objectContaining({ code: "package_invalid" });

describe("Inflater", () => {
  for (const { name, bytes, output } of DEFLATE_STREAMS)
    test(`${name}, as zlib does`, () => {
      expect(inflateByZlib(bytes)?.output).toEqual(output && Uint8Array.from(output));
      if (output) expect(inflate(bytes)?.output).toEqual(Uint8Array.from(output));
      else for (const size of [bytes.length, 1]) expect(() => inflate(bytes, [size])).toThrow(invalid);
    });

  test("passes on pieces of 4 KiB, and the rest at the end", () => {
    const pieces: number[] = [];
    const inflater = new Inflater({ onOutput: (piece) => pieces.push(piece.length) });
    const bytes = deflateRawSync(words(2 * PIECE_BYTES + 5));
    for (let at = 0; at < bytes.length; ) at += inflater.take(bytes.subarray(at));
    expect(pieces).toEqual([PIECE_BYTES, PIECE_BYTES, 5]);
  });

  test("ends a step after a piece, however much input is left", () => {
    const pieces: number[] = [];
    const inflater = new Inflater({ onOutput: (piece) => pieces.push(piece.length) });
    const bomb = deflateRawSync(new Uint8Array(100 * PIECE_BYTES));
    for (let at = 0, steps = 1; !inflater.isComplete; steps++) {
      at += inflater.take(bomb.subarray(at));
      expect(pieces.length).toBeLessThanOrEqual(steps + 1);
    }
    expect(pieces).toEqual(Array.from({ length: 100 }, () => PIECE_BYTES));
  });

  test("takes nothing past the end of the stream", () => {
    const bytes = Uint8Array.from([...deflateRawSync(words(100)), 1, 2, 3]);
    expect(inflate(bytes)?.takenBytes).toBe(bytes.length - 3);
    expect(inflate(bytes, [1])?.takenBytes).toBe(bytes.length - 3);
  });

  test("keeps nothing of one stream for the next", () => {
    const inflater = new Inflater({ onOutput: () => {} });
    const first = deflateRawSync(words(100));
    for (let at = 0; !inflater.isComplete; ) at += inflater.take(first.subarray(at));
    inflater.reset();
    const reachingBack = stream(FIXED, [0b1000000, 7], [0, 5], FIXED_END);
    expect(() => inflater.take(reachingBack)).toThrow(invalid);
  });
});

/** As far as a match can reach back (RFC 1951 §3.2.5). */
const WINDOW_BYTES = 32 * 1024;
const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const STRATEGIES = {
  default: constants.Z_DEFAULT_STRATEGY,
  filtered: constants.Z_FILTERED,
  "Huffman only": constants.Z_HUFFMAN_ONLY,
  runs: constants.Z_RLE,
  "fixed codes": constants.Z_FIXED,
};
const WINDOWS = [9, 10, 12, 15];

describe("the output of zlib's deflate is inflated", () => {
  const content = mixture(150_000);
  for (const level of LEVELS)
    for (const [name, strategy] of Object.entries(STRATEGIES))
      test(`at level ${level}, ${name}`, () => {
        for (const windowBits of WINDOWS)
          for (const memLevel of [1, 9]) {
            const bytes = deflateRawSync(content, { level, strategy, windowBits, memLevel });
            const inflated = inflate(bytes);
            expect(inflated?.takenBytes).toBe(bytes.length);
            expect(Buffer.compare(inflated?.output ?? bytes, content)).toBe(0);
          }
      });

  test("with matches of all lengths at all distances", () => {
    const random = randomBytes(WINDOW_BYTES, 7);
    for (let distance = 1; distance <= WINDOW_BYTES; distance += distance < 300 ? 1 : 997) {
      const start = random.subarray(0, distance);
      const repeated = Uint8Array.from(
        { length: 2 * distance + 600 },
        (_, at) => start[at % distance] as number,
      );
      const inflated = inflate(deflateRawSync(repeated, { level: 9 }));
      expect(Buffer.compare(inflated?.output ?? random, repeated)).toBe(0);
    }
  });

  test("with flushes in between", () => {
    const content = words(10_000);
    for (const finishFlush of [constants.Z_SYNC_FLUSH, constants.Z_FULL_FLUSH]) {
      const open = deflateRawSync(content, { finishFlush });
      const bytes = Uint8Array.from([...open, ...deflateRawSync(content)]);
      expect(inflate(bytes)?.output).toEqual(Uint8Array.from([...content, ...content]));
    }
  });
});

/** A valid stream, small enough for a mutation to hit something that matters. */
const deflated = fc
  .record({
    byteLength: fc.integer({ min: 0, max: 3000 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    kind: fc.constantFrom(words, mixture, randomBytes),
    level: fc.constantFrom(...LEVELS),
    strategy: fc.constantFrom(...Object.values(STRATEGIES)),
  })
  .map(({ byteLength, seed, kind, level, strategy }) =>
    Uint8Array.from(deflateRawSync(kind(byteLength, seed), { level, strategy })),
  );
/** Most changes near the beginning, where the codes are. */
const place = fc.oneof(fc.integer({ min: 0, max: 800 }), fc.nat());
const change = fc.tuple(place, fc.integer({ min: 1, max: 255 }));
const mutated = fc
  .tuple(deflated, fc.array(change, { minLength: 1, maxLength: 4 }))
  .map(([bytes, changes]) => {
    const changed = bytes.slice();
    for (const [at, difference] of changes) {
      const bit = at % (8 * changed.length);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (difference > 200 ? difference : 1 << (bit & 7));
    }
    return changed;
  });
const noise = fc.uint8Array({ minLength: 1, maxLength: 300 });
const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });

/** As {@link inflate}, with a fault for `undefined`; anything else that is thrown fails the test. */
function verdict(bytes: Uint8Array, sizes?: readonly number[]): ReturnType<typeof inflate> {
  try {
    return inflate(bytes, sizes);
  } catch (error) {
    expect(error).toEqual(invalid);
    return undefined;
  }
}

/** As toEqual, which takes long for many bytes. */
function expectSame(inflated: ReturnType<typeof inflate>, other: ReturnType<typeof inflate>): void {
  expect(inflated?.takenBytes).toBe(other?.takenBytes);
  if (inflated && other) expect(Buffer.compare(inflated.output, other.output)).toBe(0);
}

describe("for any bytes", () => {
  test("verdict, content and end equal zlib's", () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: mutated }, noise), (bytes) => {
        expectSame(verdict(bytes), inflateByZlib(bytes));
      }),
      { numRuns: 3000 },
    );
  }, 30_000);

  test("any split gives the same", () => {
    fc.assert(
      fc.property(fc.oneof(deflated, mutated, noise), sizes, (bytes, sizes) => {
        const whole = verdict(bytes);
        expectSame(verdict(bytes, sizes), whole);
        expectSame(verdict(bytes, [1]), whole);
      }),
      { numRuns: 1000 },
    );
  }, 30_000);
});
