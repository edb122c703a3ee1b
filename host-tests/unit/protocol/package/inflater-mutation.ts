/**
 * Changed gzip files in the sandboxed inflater, in the TypeScript that it replaces (host-tests/reference) and in zlib: all must
 * give the same output and verdict, for any split.
 */
import { constants, crc32, gunzipSync, gzipSync } from "node:zlib";
import { expect } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { GzipReader } from "../../../../protocol/package/gzip-reader.js";
import { NodeCrc32 } from "../../../hosts/node-bytes.js";
import { GzipReader as ReferenceReader } from "../../../reference/package/gzip-reader.js";
import { WINDOW_BYTES } from "../../../reference/package/inflater.js";
import { cut, sandbox } from "./inflating.js";
import { mixture, randomBytes, randomNumbers, words } from "./samples.js";

/** What a reader makes of a file: its output up to the fault, and the fault's message. */
interface Verdict {
  readonly output: Buffer;
  readonly fault: string | undefined;
}

interface Reader {
  take(chunk: Uint8Array): number;
  end(): void;
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

function verdictOf(reader: Reader, pieces: readonly Uint8Array[], chunks: Iterable<Uint8Array>): Verdict {
  try {
    for (const chunk of chunks) for (let at = 0; at < chunk.length; ) at += reader.take(chunk.subarray(at));
    reader.end();
    return { output: Buffer.concat(pieces), fault: undefined };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { output: Buffer.concat(pieces), fault: `${error.code}: ${error.message}` };
  }
}

export function sandboxVerdict(file: Uint8Array, sizes: readonly number[], programs = sandbox): Verdict {
  const pieces: Uint8Array[] = [];
  const reader = new GzipReader({ sandbox: programs, onOutput: (piece) => pieces.push(piece.slice()) });
  try {
    return verdictOf(reader, pieces, cut(file, sizes));
  } finally {
    reader.close();
  }
}

/** One for all readers: what another has left there must not matter. */
const window = new Uint8Array(WINDOW_BYTES);

export function referenceVerdict(file: Uint8Array, sizes: readonly number[]): Verdict {
  const pieces: Uint8Array[] = [];
  const onOutput = (piece: Uint8Array) => pieces.push(piece.slice());
  return verdictOf(new ReferenceReader({ Crc32: NodeCrc32, onOutput, window }), pieces, cut(file, sizes));
}

/** Output of zlib, which skips bytes after the last member; `undefined` if it rejects the file. */
function zlibOutput(file: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(file);
  } catch {
    return undefined;
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
    const ours = sandboxVerdict(file, randomSizes(random));
    const reference = referenceVerdict(file, randomSizes(random));
    const about = () => `seed ${seed}, round ${round}: ${Buffer.from(file).toString("hex")}`;
    if (ours.fault !== reference.fault) expect.fail(`${ours.fault}, not ${reference.fault}: ${about()}`);
    if (Buffer.compare(ours.output, reference.output) !== 0) expect.fail(`the output differs: ${about()}`);
    if (ours.fault === undefined) accepted++;
    else faults.add(ours.fault);
    requireZlibAgrees(ours, zlibOutput(file), about);
  }
  return { accepted, faults };
}

function requireZlibAgrees({ fault, output }: Verdict, zlib: Buffer | undefined, about: () => string): void {
  if (fault === undefined) {
    if (!zlib || Buffer.compare(output, zlib) !== 0) expect.fail(`zlib reads it differently: ${about()}`);
  } else if (zlib && !/more bytes follow|ends too early/.test(fault))
    expect.fail(`zlib accepts what is refused (${fault}): ${about()}`);
}
