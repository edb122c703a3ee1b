import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hexOf } from "../../contracts/assert.js";
import { nodeBase64 } from "../../hosts/node-bytes.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";

const COUNT = 1500;
const SEED = Date.now() | 0;

/** Bytes at the edges of UTF-8, which meet each other more often than chance would have it. */
const edges = fc.constantFrom(
  ...[0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed],
  ...[0xef, 0xbb, 0xbf, 0xf0, 0xf1, 0xf4, 0xf5, 0xff],
);
const edgy = fc.array(edges, { maxLength: 24 }).map((bytes) => Uint8Array.from(bytes));
const anyText = fc.string({ unit: "binary", maxLength: 200 }).map((text) => new TextEncoder().encode(text));
const nearlyBase64 = fc
  .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(60), fc.constantFrom("", "=", "A", "\n", "-", "\u00e9"))
  .map(([bytes, at, inserted]) => {
    const text = Buffer.from(bytes).toString("base64");
    return new TextEncoder().encode(text.slice(0, at) + inserted + text.slice(at + inserted.length));
  });
const cases = fc.sample(fc.oneof(edgy, anyText, nearlyBase64), { numRuns: COUNT, seed: SEED });

interface Decodings {
  readonly text: string;
  readonly strict: string | null;
  readonly again: string;
  readonly base64: string | null;
  readonly encoded: string;
}

const directory = temporaryDirectory();
let results: readonly Decodings[] = [];

beforeAll(async () => {
  const state = path.join(directory.path, "state");
  mkdirSync(path.join(state, "lfs"), { recursive: true });
  const lengths = cases.map(({ length }) => Uint8Array.of(length >> 8, length));
  writeFileSync(
    path.join(state, "lfs", "cases"),
    Buffer.concat(cases.flatMap((bytes, index) => [lengths[index] ?? new Uint8Array(2), bytes])),
  );
  const program = await buildProgram(path.join(import.meta.dirname, "bytes-program.ts"), directory.path);
  const { lines } = await program.run({ state });
  results = lines.map((line) => JSON.parse(line));
  expect(results, `seed ${SEED}`).toHaveLength(COUNT);
});
afterAll(() => directory.remove());

function attempt(decode: () => string): string | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

function forEachCase(compare: (bytes: Uint8Array, result: Decodings, what: string) => void): void {
  for (const [index, bytes] of cases.entries())
    compare(bytes, results[index] as Decodings, `seed ${SEED}, ${hexOf(bytes)}`);
}

test("TextDecoder on XS decodes as Node's", () => {
  const node = new TextDecoder("utf-8", { ignoreBOM: true });
  forEachCase((bytes, { text }, what) => expect(text, what).toBe(node.decode(bytes)));
});

test("TextDecoder on XS rejects the same bytes as Node's if fatal", () => {
  const node = new TextDecoder("utf-8", { fatal: true });
  forEachCase((bytes, { strict }, what) => expect(strict, what).toBe(attempt(() => node.decode(bytes))));
});

test("TextEncoder on XS encodes as Node's", () => {
  forEachCase((_, { text, again }, what) => expect(again, what).toBe(hexOf(new TextEncoder().encode(text))));
});

test("base64 on XS decodes and rejects as the strict decoder", () => {
  let taken = 0;
  forEachCase((_, { text, base64 }, what) => {
    const expected = attempt(() => hexOf(new Uint8Array(nodeBase64.decode(text))));
    expect(base64, what).toBe(expected);
    if (expected) taken++;
  });
  expect(taken, "cases that are base64").toBeGreaterThan(COUNT / 100);
});

test("base64 on XS encodes as in Node", () => {
  forEachCase((bytes, { encoded }, what) => expect(encoded, what).toBe(nodeBase64.encode(bytes)));
});
