/**
 * Changed gzip files in the sandboxed inflater and in zlib: both give the same output and find the same fault, and the
 * inflater does for any split. {@link requireZlibAgrees} says where the inflater is stricter or knows later.
 */
import { constants, crc32, gzipSync } from "node:zlib";
import { expect } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { GzipReader, PIECE_BYTES } from "../../../../protocol/package/gzip-reader.js";
import { cut, sandbox } from "./inflating.js";
import { mixture, randomBytes, randomNumbers, words } from "./samples.js";
import {
  BYTES_FOLLOW,
  gunzipByZlib,
  NAMES_IN_ZLIB,
  NO_CODE,
  outputBeforeFault,
  TOO_EARLY,
} from "./zlib-verdicts.js";

/** What the inflater makes of a file: its output up to the fault, and the fault's message. */
interface Verdict {
  readonly output: Buffer;
  readonly fault: string | undefined;
}

type Random = (limit: number) => number;

const STRATEGIES = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
];
/** FHCRC, FEXTRA, FNAME, FCOMMENT (RFC 1952 §2.3.1). */
const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;

export function sandboxVerdict(file: Uint8Array, sizes: readonly number[], programs = sandbox): Verdict {
  const pieces: Uint8Array[] = [];
  const reader = new GzipReader({ sandbox: programs, onOutput: (piece) => pieces.push(piece.slice()) });
  try {
    for (const chunk of cut(file, sizes))
      for (let at = 0; at < chunk.length; ) at += reader.take(chunk.subarray(at));
    reader.end();
    return { output: Buffer.concat(pieces), fault: undefined };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    expect(error.code).toBe("package_invalid");
    return { output: Buffer.concat(pieces), fault: error.message };
  } finally {
    reader.close();
  }
}

function member(random: Random): Uint8Array {
  const kind = [words, mixture, randomBytes][random(3)] ?? words;
  // Now and then more than the window, so that matches reach across its end.
  const content = kind(random(50) === 0 ? 40_000 : random(3000), 1 + random(1_000_000));
  const bytes = gzipSync(content, { level: random(10), strategy: STRATEGIES[random(5)] ?? 0 });
  return random(3) === 0 ? Buffer.concat([head(random(32)), bytes.subarray(10)]) : bytes;
}

function head(flags: number): Buffer {
  const fields = Buffer.concat([
    Uint8Array.of(31, 139, 8, flags, 0, 0, 0, 0, 0, 255),
    Uint8Array.from(flags & FEXTRA ? [3, 0, 1, 2, 3] : []),
    Buffer.from(flags & FNAME ? "app.tar\0" : ""),
    Buffer.from(flags & FCOMMENT ? "by hand\0" : ""),
  ]);
  const checksum = crc32(fields);
  return Buffer.concat([
    fields,
    Uint8Array.from(flags & FHCRC ? [checksum & 255, (checksum >> 8) & 255] : []),
  ]);
}

/** Changes a bit, a byte, the length or what follows; most near the beginning, where the codes are. */
function changed(file: Uint8Array, random: Random): Uint8Array {
  const at = random(random(2) === 0 ? Math.min(file.length, 120) : file.length);
  const bytes = file.slice();
  switch (random(8)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes, randomBytes(1 + random(20), 1 + random(1000))]);
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(Math.min(bytes.length, at + 1 + random(3))),
      ]);
    case 3:
      bytes[at] = random(256);
      return bytes;
    default:
      bytes[at] = (bytes[at] as number) ^ (1 << random(8));
      return bytes;
  }
}

export function randomFile(random: Random): Uint8Array {
  let file = member(random);
  if (random(6) === 0) file = Buffer.concat([file, member(random)]);
  for (let changes = random(4); changes > 0 && file.length > 0; changes--) file = changed(file, random);
  return Uint8Array.from(file);
}

export function randomSizes(random: Random): readonly number[] {
  if (random(3) === 0) return [];
  return Array.from({ length: 1 + random(8) }, () => 1 + random(random(2) === 0 ? 20 : 3000));
}

/** @returns how many of the files were accepted, and the faults of the others */
export function compareChangedFiles(count: number, seed: number): { accepted: number; faults: Set<string> } {
  console.log(`changed gzip files: seed ${seed}`);
  const random = randomNumbers(seed);
  const faults = new Set<string>();
  let accepted = 0;
  for (let round = 0; round < count; round++) {
    const file = randomFile(random);
    const whole = sandboxVerdict(file, []);
    const split = sandboxVerdict(file, randomSizes(random));
    const about = () => `seed ${seed}, round ${round}: ${Buffer.from(file).toString("hex")}`;
    if (split.fault !== whole.fault) expect.fail(`split ${split.fault}, not ${whole.fault}: ${about()}`);
    if (Buffer.compare(split.output, whole.output) !== 0)
      expect.fail(`split, the output differs: ${about()}`);
    requireZlibAgrees(file, whole, about);
    if (whole.fault === undefined) accepted++;
    else faults.add(whole.fault);
  }
  return { accepted, faults };
}

/** A byte of codes can have this much output before the code at fault: matches of two bits. */
const OUTPUT_OF_A_BYTE = 8 * 258;

/** Verdict and output are zlib's, save in the cases below. */
function requireZlibAgrees(file: Uint8Array, { output, fault }: Verdict, about: () => string): void {
  const zlib = gunzipByZlib(file);
  if (fault === undefined) {
    if (Buffer.compare(output, zlib.output) !== 0 || zlib.fault !== undefined)
      expect.fail(`zlib reads it differently, ${zlib.fault}: ${about()}`);
    return;
  }
  if (zlib.fault === undefined) {
    // Stricter: zlib skips what follows a member and begins with a zero.
    const isPadding = zlib.takenBytes < file.length && file[zlib.takenBytes] === 0;
    if (!isPadding || (fault !== BYTES_FOLLOW && fault !== TOO_EARLY))
      expect.fail(`zlib accepts what is refused (${fault}): ${about()}`);
    if (Buffer.compare(output, zlib.output) !== 0) expect.fail(`the output differs: ${about()}`);
    return;
  }
  if (!isSameFault(fault, zlib.fault) && !isSameFault(...faultsWhenMoreComes(file, fault, zlib.fault)))
    expect.fail(`${fault}, not ${zlib.fault}: ${about()}`);
  const before = outputBeforeFault(file);
  const common = Math.min(output.length, before.length);
  if (Buffer.compare(output.subarray(0, common), before.subarray(0, common)) !== 0)
    expect.fail(`the output before the fault differs: ${about()}`);
  if (before.length - common >= PIECE_BYTES || output.length - common > OUTPUT_OF_A_BYTE)
    expect.fail(`${output.length} bytes of output before the fault, not ${before.length}: ${about()}`);
}

/** zlib finds that a code without codes is none when the lengths have been read with it: none is that of the end. */
function isSameFault(fault: string | undefined, zlib: string | undefined): boolean {
  return (
    NAMES_IN_ZLIB[fault ?? ""] === zlib ||
    (fault === NO_CODE && zlib === "invalid code -- missing end-of-block")
  );
}

/**
 * The faults of a file that ends too early for one of them. zlib refuses a header before all of it has arrived, and bits
 * that begin no code before there are 15; with {@link NO_CODE} it needs more bytes, which are 40 at most.
 */
function faultsWhenMoreComes(file: Uint8Array, fault: string, zlib: string) {
  const more = Buffer.concat([file, new Uint8Array(40)]);
  return [
    fault === TOO_EARLY ? sandboxVerdict(more, []).fault : fault,
    fault === NO_CODE ? gunzipByZlib(more).fault : zlib,
  ] as const;
}
