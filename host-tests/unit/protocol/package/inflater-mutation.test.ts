/** Changed gzip files: inflater and zlib agree; `inflater-mutation.nightly.test.ts` has more of them. */
import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import * as program from "../../../../device/sandbox/inflater/program.js";
import { createMemory } from "../../../../device/sandbox/memory.js";
import { PIECE_BYTES } from "../../../../protocol/package/gzip-reader.js";
import type { Sandbox, SandboxProgram } from "../../../../protocol/ports/sandbox.js";
import { dynamicHead, NO_LITERALS, ONE, stream, ZERO } from "./deflate-bits.js";
import { compareChangedFiles, randomFile, randomSizes, sandboxVerdict } from "./inflater-mutation.js";
import { joined } from "./packing.js";
import { randomNumbers, words } from "./samples.js";

const SEED = Math.floor(Math.random() * 2 ** 31) || 1;

test("2000 changed files give the same in inflater and zlib", () => {
  const { accepted, faults } = compareChangedFiles(2000, SEED);
  expect(accepted).toBeGreaterThan(200);
  expect(faults.size).toBeGreaterThan(12);
});

const counted = ["getUint8", "getUint16", "getInt32", "setUint8", "setUint16", "setInt32"] as const;

/** Runs `work`. @returns how often it accessed the memory of a program that runs as TypeScript */
function accessesOf(work: () => void): number {
  const methods = DataView.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
  const originals = counted.map((name) => [name, methods[name]] as const);
  let accesses = 0;
  for (const [name, original] of originals)
    methods[name] = function (this: DataView, ...values: unknown[]) {
      accesses++;
      return original?.apply(this, values);
    };
  try {
    work();
  } finally {
    for (const [name, original] of originals) if (original) methods[name] = original;
  }
  return accesses;
}

interface Call {
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly accesses: number;
}

/** The inflater as TypeScript; `calls` receives what each `feed` has cost. */
function countingSandbox(calls: Call[]): Sandbox {
  const memory = createMemory(program.memoryBytes());
  const open = (): SandboxProgram => ({
    memory,
    begin: program.begin,
    room: program.room,
    finish: program.finish,
    close: () => {},
    feed(byteLength) {
      let answer = 0;
      const accesses = accessesOf(() => {
        answer = program.feed(byteLength);
      });
      const consumed = answer < 0 ? byteLength : answer & 0xfff;
      const outputBytes = answer < 0 ? PIECE_BYTES : (answer >> 12) & 0x1fff;
      calls.push({ inputBytes: consumed, outputBytes, accesses });
      return answer;
    },
  });
  return { open };
}

const HEAD = Uint8Array.of(31, 139, 8, 0, 0, 0, 0, 0, 0, 255);
/** 500 blocks that have nothing but codes and their end: 16 bytes each. */
const CODES_ONLY = stream(
  ...Array.from({ length: 500 }, () => [
    ...dynamicHead(257, 1, [0b100, 3]),
    ...NO_LITERALS,
    ONE,
    ZERO,
    [0, 1] as const,
  ]).flat(),
);
const repeated = (part: Uint8Array, times: number) => joined(...Array.from({ length: times }, () => part));

const COSTLY: readonly { name: string; file: Uint8Array }[] = [
  { name: "a bomb", file: joined(HEAD, deflateRawSync(new Uint8Array(1_000_000))) },
  { name: "one block of codes after another", file: joined(HEAD, CODES_ONLY) },
  { name: "empty stored blocks", file: joined(HEAD, repeated(Uint8Array.of(0, 0, 0, 255, 255), 4000)) },
  { name: "empty members", file: repeated(joined(HEAD, Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0, 0, 0)), 500) },
  { name: "text", file: joined(HEAD, deflateRawSync(words(100_000))) },
  { name: "a long name", file: joined(Uint8Array.of(31, 139, 8, 8, 0, 0, 0, 0, 0, 255), words(60_000)) },
];

describe("A call of the inflater", () => {
  function expectBounded(calls: readonly Call[]): void {
    for (const { inputBytes, outputBytes, accesses } of calls) {
      expect(outputBytes).toBeLessThanOrEqual(PIECE_BYTES);
      // 8 KiB of accesses build two codes, 8 more the fixed ones.
      expect(accesses).toBeLessThanOrEqual(16_384 + 16 * inputBytes + 8 * outputBytes);
    }
  }

  for (const { name, file } of COSTLY)
    test(`does bounded work for ${name}`, () => {
      const calls: Call[] = [];
      sandboxVerdict(file, [], countingSandbox(calls));
      expect(calls.length).toBeGreaterThan(5);
      expectBounded(calls);
    });

  test("does bounded work for any file, and the same as TypeScript and as WebAssembly", () => {
    const random = randomNumbers(SEED);
    for (let round = 0; round < 200; round++) {
      const file = randomFile(random);
      const calls: Call[] = [];
      expect(sandboxVerdict(file, randomSizes(random), countingSandbox(calls))).toEqual(
        sandboxVerdict(file, randomSizes(random)),
      );
      expectBounded(calls);
    }
  });
});
