import { constants, deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PIECE_BYTES } from "../../../../protocol/package/gzip-reader.js";
import { Inflater as ReferenceInflater, WINDOW_BYTES } from "../../../reference/package/inflater.js";
import {
  ALIGN,
  DYNAMIC,
  dynamicHead,
  FIXED,
  FIXED_END,
  NO_LITERALS,
  ONE,
  STORED,
  stream,
  TWO,
  ZERO,
  zeros,
} from "./deflate-bits.js";
import { Inflater, inflate, inflateByZlib } from "./inflating.js";
import { mixture, randomBytes, words } from "./samples.js";

const invalid = expect.objectContaining({ code: "package_invalid" });

const STREAMS: readonly { name: string; bytes: Uint8Array; output?: readonly number[] }[] = [
  { name: "accepts an empty stored block", bytes: Uint8Array.of(1, 0, 0, 255, 255), output: [] },
  { name: "accepts an empty block of fixed codes", bytes: stream(FIXED, FIXED_END), output: [] },
  { name: "accepts a stored block", bytes: Uint8Array.of(1, 2, 0, 253, 255, 7, 8), output: [7, 8] },
  { name: "rejects a block of the reserved type", bytes: stream([0b111, 3]) },
  { name: "rejects a stored length without its complement", bytes: stream(STORED, ALIGN, [2, 16], [2, 16]) },
  { name: "rejects a match before the first byte", bytes: stream(FIXED, [0b1000000, 7], [0, 5], FIXED_END) },
  { name: "rejects length symbol 286 of the fixed code", bytes: stream(FIXED, [0b01100011, 8], [0, 16]) },
  {
    name: "rejects distance symbol 30 of the fixed code",
    bytes: stream(FIXED, [0b00001100, 8], [0b1000000, 7], [0b01111, 5], [0, 16]),
  },
  { name: "rejects 287 literals and lengths", bytes: stream(DYNAMIC, [30, 5], [0, 5], [14, 4], [0, 30]) },
  { name: "rejects 31 distances", bytes: stream(DYNAMIC, [0, 5], [30, 5], [14, 4], [0, 30]) },
  { name: "rejects a code of code lengths without codes", bytes: stream(DYNAMIC, [0, 14], [0, 30], [0, 30]) },
  {
    name: "rejects an incomplete code of code lengths",
    bytes: stream(DYNAMIC, [0, 14], [1, 3], [2, 3], [0, 30], [0, 30]),
  },
  {
    name: "rejects an oversubscribed code of code lengths",
    bytes: stream(DYNAMIC, [0, 14], [1, 3], [1, 3], [1, 3], [1, 3], [0, 30]),
  },
  {
    name: "rejects a block without a code for its end",
    bytes: stream(...dynamicHead(257, 1), ...zeros(138), ...zeros(120)),
  },
  {
    name: "rejects more code lengths than codes",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, ONE, ...zeros(11)),
  },
  {
    name: "accepts a block whose only code is its end, without distances",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, ONE, ZERO, [0, 1]),
    output: [],
  },
  {
    name: "rejects bits that are no code of that block",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, ONE, ZERO, [1, 1], [0, 16]),
  },
  {
    name: "rejects a single literal of two bits",
    bytes: stream(...dynamicHead(257, 1), ...NO_LITERALS, TWO, ZERO, [0, 16]),
  },
  {
    name: "rejects oversubscribed literals",
    bytes: stream(...dynamicHead(259, 1), ...NO_LITERALS, ONE, ONE, ONE, ZERO, [0, 16]),
  },
  {
    name: "accepts a single distance of one bit",
    bytes: stream(...dynamicHead(257, 1), ONE, ...zeros(138), ...zeros(117), ONE, ONE, [0, 1], [1, 1]),
    output: [0],
  },
  {
    name: "rejects a single distance of two bits",
    bytes: stream(...dynamicHead(257, 1), ONE, ...zeros(138), ...zeros(117), ONE, TWO, [0, 1], [1, 1]),
  },
  {
    name: "rejects oversubscribed distances",
    bytes: stream(...dynamicHead(257, 3), ONE, ...zeros(138), ...zeros(117), ONE, ONE, ONE, ONE, [0b10, 2]),
  },
  {
    name: "rejects a match without distances",
    bytes: stream(...dynamicHead(258, 1), ...NO_LITERALS, ONE, ONE, ZERO, [1, 1], [0, 16]),
  },
];

describe("Inflater", () => {
  for (const { name, bytes, output } of STREAMS)
    test(`${name}, as zlib does`, () => {
      expect(inflateByZlib(bytes)?.output).toEqual(output && Uint8Array.from(output));
      if (output) expect(inflate(bytes)?.output).toEqual(Uint8Array.from(output));
      else for (const size of [bytes.length, 1]) expect(() => inflate(bytes, [size])).toThrow(invalid);
    });

  test("rejects a window of another size, as the reference", () => {
    expect(
      () => new ReferenceInflater({ onOutput: () => {}, window: new Uint8Array(WINDOW_BYTES - 1) }),
    ).toThrow(RangeError);
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
