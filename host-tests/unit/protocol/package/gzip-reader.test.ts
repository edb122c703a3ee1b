import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GzipReader, PIECE_BYTES } from "../../../../protocol/package/gzip-reader.js";
import type { Sandbox } from "../../../../protocol/ports/sandbox.js";
import { isMissing } from "../../../hosts/peers.js";
import { dynamicHead, FIXED, FIXED_END, NO_LITERALS, ONE, stream, ZERO } from "./deflate-bits.js";
import { DEFLATE_STREAMS } from "./deflate-streams.js";
import { gunzip, sandbox } from "./inflating.js";
import { ascii, faultOf, joined } from "./packing.js";
import { mixture, randomBytes } from "./samples.js";
import { gunzipByZlib, NAMES_IN_ZLIB } from "./zlib-verdicts.js";

const CONTENT = mixture(10_000);
const FILE = Uint8Array.from(gzipSync(CONTENT));
const BODY = FILE.subarray(10);

const FTEXT = 1;
const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;

/** A header with the fields of `flags` (RFC 1952 §2.3), and its correct checksum if it has one. */
function head(flags: number, extraBytes = 5): Uint8Array {
  const extra = [extraBytes & 255, extraBytes >> 8, ...new Uint8Array(extraBytes).fill(7)];
  const fields = joined(
    Uint8Array.of(31, 139, 8, flags, 1, 2, 3, 4, 0, 255),
    Uint8Array.from(flags & FEXTRA ? extra : []),
    ascii(flags & FNAME ? "app.tar\0" : ""),
    ascii(flags & FCOMMENT ? "made by hand\0" : ""),
  );
  const checksum = crc32(fields) & 0xffff;
  return joined(fields, Uint8Array.from(flags & FHCRC ? [checksum & 255, checksum >> 8] : []));
}

/** CRC32 and ISIZE of the content (RFC 1952 §2.3.1). */
function trailer(content: Uint8Array): Uint8Array {
  const fields = new DataView(new ArrayBuffer(8));
  fields.setUint32(0, crc32(content), true);
  fields.setUint32(4, content.length, true);
  return new Uint8Array(fields.buffer);
}

/** The file with bits of a byte changed; counted from its end where `at` is negative. */
function changed(at: number, file: Uint8Array = FILE, bits = 0x80): Uint8Array {
  const bytes = file.slice();
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] as number) ^ bits;
  return bytes;
}

const REFUSAL = "Cannot unpack the package as gzip: ";
const TOO_EARLY = "it ends too early";
const NO_GZIP = "it is none";
const BYTES_FOLLOW = "more bytes follow, which are not gzip";
const OTHER_METHOD = "its compression method is not deflate";
const UNKNOWN_FLAGS = "its header has flags that do not exist";
const OTHER_HEADER = "its header has another checksum";
const OTHER_CONTENT = "its content has another checksum";
const OTHER_LENGTH = "its content has another length";

/** zlib refuses these for the same reason, or accepts them: it skips what follows the end and begins with a zero. */
const REFUSED: readonly { name: string; bytes: Uint8Array; fault: string; zlibAccepts?: true }[] = [
  { name: "nothing", bytes: new Uint8Array(0), fault: TOO_EARLY },
  { name: "the first byte alone", bytes: FILE.subarray(0, 1), fault: TOO_EARLY },
  { name: "bytes of no gzip file", bytes: ascii("\0asm\x01\0\0\0\0\0"), fault: NO_GZIP },
  { name: "another ID1", bytes: changed(0), fault: NO_GZIP },
  { name: "another ID2", bytes: changed(1), fault: NO_GZIP },
  { name: "another compression method", bytes: changed(2), fault: OTHER_METHOD },
  { name: "reserved flag 5", bytes: changed(3, FILE, 0x20), fault: UNKNOWN_FLAGS },
  { name: "reserved flag 6", bytes: changed(3, FILE, 0x40), fault: UNKNOWN_FLAGS },
  { name: "reserved flag 7", bytes: changed(3, FILE, 0x80), fault: UNKNOWN_FLAGS },
  {
    name: "a wrong checksum of the header",
    bytes: changed(10, joined(head(FHCRC), BODY)),
    fault: OTHER_HEADER,
  },
  {
    name: "a header that does not match its checksum",
    bytes: changed(13, joined(head(FHCRC | FEXTRA), BODY)),
    fault: OTHER_HEADER,
  },
  { name: "a wrong checksum, in its first byte", bytes: changed(-8), fault: OTHER_CONTENT },
  { name: "a wrong checksum, in its last byte", bytes: changed(-5), fault: OTHER_CONTENT },
  { name: "a wrong length, in its first byte", bytes: changed(-4), fault: OTHER_LENGTH },
  { name: "a wrong length, in its last byte", bytes: changed(-1), fault: OTHER_LENGTH },
  {
    name: "a zero byte after the end",
    bytes: joined(FILE, Uint8Array.of(0)),
    fault: TOO_EARLY,
    zlibAccepts: true,
  },
  {
    name: "zeros after the end",
    bytes: joined(FILE, new Uint8Array(512)),
    fault: BYTES_FOLLOW,
    zlibAccepts: true,
  },
  { name: "other bytes after the end", bytes: joined(FILE, ascii("something else")), fault: BYTES_FOLLOW },
  { name: "a second member that is damaged", bytes: joined(FILE, changed(-8)), fault: OTHER_CONTENT },
];

describe("GzipReader", () => {
  for (let flags = 0; flags < 32; flags++)
    test(`reads a header with flags ${flags}, whole and byte by byte`, () => {
      const file = joined(head(flags), BODY);
      expect(Buffer.compare(gunzipByZlib(file).output, CONTENT)).toBe(0);
      for (const sizes of [[], [1]]) expect(Buffer.compare(gunzip(file, sizes), CONTENT)).toBe(0);
    });

  test("skips extra fields of minimum and maximum length", () => {
    for (const byteLength of [0, 1, 65_535]) {
      const file = joined(head(FTEXT | FEXTRA | FHCRC, byteLength), BODY);
      expect(Buffer.compare(gunzip(file), CONTENT)).toBe(0);
    }
  });

  test("reads members as one, each with its own checksum and window", () => {
    const file = joined(FILE, gzipSync(""), joined(head(31), BODY), FILE);
    for (const sizes of [[], [1], [700, 13]])
      expect(Buffer.compare(gunzip(file, sizes), joined(CONTENT, CONTENT, CONTENT))).toBe(0);
  });

  test("reads content of several windows", () => {
    const content = mixture(150_000);
    const file = gzipSync(content);
    for (const sizes of [[], [1], [700, 13]]) expect(Buffer.compare(gunzip(file, sizes), content)).toBe(0);
  });

  // The program takes 2048 bytes at a time.
  for (const size of [2047, 2048, 2049, 4095, 4096, 4097])
    test(`reads chunks of ${size} bytes`, () => {
      const content = randomBytes(20_000);
      expect(Buffer.compare(gunzip(gzipSync(content), [size]), content)).toBe(0);
    });

  for (const { name, bytes, fault, zlibAccepts } of REFUSED)
    test(`rejects ${name}`, () => {
      expect(gunzipByZlib(bytes).fault).toBe(zlibAccepts ? undefined : NAMES_IN_ZLIB[REFUSAL + fault]);
      for (const sizes of [[], [1]])
        expect(faultOf(() => gunzip(bytes, sizes))).toMatchObject({
          code: "package_invalid",
          message: REFUSAL + fault,
        });
    });

  for (const { name, bytes, output, fault } of DEFLATE_STREAMS)
    test(`${name}`, () => {
      const file = joined(head(0), bytes, trailer(Uint8Array.from(output ?? [])));
      for (const sizes of [[], [1]])
        if (output) expect(gunzip(file, sizes)).toEqual(Uint8Array.from(output));
        else
          expect(faultOf(() => gunzip(file, sizes))).toMatchObject({
            code: "package_invalid",
            message: `Cannot inflate the package: ${fault}`,
          });
    });

  test("rejects a file truncated to any length", () => {
    const file = joined(head(31), gzipSync("some content").subarray(10));
    for (let length = 0; length < file.length; length++)
      expect(faultOf(() => gunzip(file.subarray(0, length)))).toMatchObject({
        code: "package_invalid",
        message: `Cannot unpack the package as gzip: ${TOO_EARLY}`,
      });
  });

  test("reads the same for any split", () => {
    const file = joined(head(31), BODY, FILE);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1 }), (sizes) => {
        expect(Buffer.compare(gunzip(file, sizes), joined(CONTENT, CONTENT))).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

/** A reader, with the lengths of the pieces that it has passed on. */
function openReader(): { readonly reader: GzipReader; readonly pieces: number[] } {
  const pieces: number[] = [];
  const reader = new GzipReader({ sandbox, onOutput: (piece) => pieces.push(piece.length) });
  return { reader, pieces };
}

/** Calls `take` until the bytes are used up. @returns how many each call has consumed */
function takeAll(reader: GzipReader, bytes: Uint8Array): number[] {
  const taken: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const byteLength = reader.take(bytes.subarray(at));
    taken.push(byteLength);
    at += byteLength;
  }
  return taken;
}

/** A block of codes and their end: the codes take 93 bits, the end takes one. */
const CODES_AND_END = [...dynamicHead(257, 1, [0b100, 3]), ...NO_LITERALS, ONE, ZERO, [0, 1]] as const;

describe("A call of GzipReader's take", () => {
  test("consumes nothing of an empty chunk", () => {
    const { reader, pieces } = openReader();
    expect(reader.take(new Uint8Array(0))).toBe(0);
    takeAll(reader, FILE);
    expect(reader.take(new Uint8Array(0))).toBe(0);
    reader.end();
    expect(pieces).toEqual([PIECE_BYTES, PIECE_BYTES, CONTENT.length - 2 * PIECE_BYTES]);
  });

  test("consumes a chunk of any length that has no output", () => {
    const { reader, pieces } = openReader();
    const nameless = Uint8Array.of(31, 139, 8, FNAME, 0, 0, 0, 0, 0, 255);
    const chunk = joined(nameless, new Uint8Array(10_000).fill(7));
    expect(reader.take(chunk)).toBe(chunk.length);
    expect(pieces).toEqual([]);
    takeAll(reader, joined(Uint8Array.of(0), BODY));
    reader.end();
  });

  test("passes on one piece of a bomb, and leaves the rest of the chunk", () => {
    const { reader, pieces } = openReader();
    const bomb = gzipSync(new Uint8Array(100 * PIECE_BYTES));
    let at = 0;
    for (let calls = 1; calls <= 100; calls++) {
      at += reader.take(bomb.subarray(at));
      expect(at).toBeLessThan(bomb.length);
      // The first call ends with the head of the block.
      expect(pieces).toEqual(Array.from({ length: calls - 1 }, () => PIECE_BYTES));
    }
    takeAll(reader, bomb.subarray(at));
    reader.end();
    expect(pieces).toEqual(Array.from({ length: 100 }, () => PIECE_BYTES));
  });

  test("ends with the head of a block, whose codes are much work for few bytes, and with the content", () => {
    const { reader, pieces } = openReader();
    const file = joined(
      head(0),
      stream(...CODES_AND_END, ...CODES_AND_END, FIXED, FIXED_END),
      trailer(new Uint8Array(0)),
    );
    // Bits 0 to 92 of the content, up to its bit 186, up to its bit 197, and the trailer.
    expect(takeAll(reader, file)).toEqual([10 + 12, 12, 1, 8]);
    reader.end();
    expect(pieces).toEqual([]);
  });

  test("passes on the whole content with the last byte of it, before the trailer arrives", () => {
    for (let excess = 1; excess <= 258; excess++) {
      const { reader, pieces } = openReader();
      takeAll(reader, joined(head(0), deflateRawSync(new Uint8Array(PIECE_BYTES + excess))));
      expect(pieces).toEqual([PIECE_BYTES, excess]);
    }
  });

  test("throws what the receiver of the output throws", () => {
    const full = new Error("the flash is full");
    const reader = new GzipReader({
      sandbox,
      onOutput() {
        throw full;
      },
    });
    expect(() => takeAll(reader, FILE)).toThrow(full);
  });

  test("repeats the fault of an invalid file, whatever follows, and so does its end", () => {
    const { reader, pieces } = openReader();
    const fault = { code: "package_invalid", message: `Cannot unpack the package as gzip: ${NO_GZIP}` };
    expect(faultOf(() => takeAll(reader, ascii("no gzip file")))).toMatchObject(fault);
    expect(faultOf(() => reader.take(FILE))).toMatchObject(fault);
    expect(faultOf(() => reader.end())).toMatchObject(fault);
    expect(pieces).toEqual([]);
  });
});

/** The sandbox, with the number of programs that are open. */
function countingSandbox(): Sandbox & { openPrograms: number } {
  const counting = {
    openPrograms: 0,
    open(name: Parameters<Sandbox["open"]>[0]) {
      const program = sandbox.open(name);
      counting.openPrograms++;
      let isOpen = true;
      return {
        memory: program.memory,
        begin: program.begin.bind(program),
        room: program.room.bind(program),
        feed: program.feed.bind(program),
        finish: program.finish.bind(program),
        close() {
          if (isOpen) counting.openPrograms--;
          isOpen = false;
          program.close();
        },
      };
    },
  };
  return counting;
}

describe("GzipReader's close", () => {
  for (const { name, bytes } of [
    { name: "before the first byte", bytes: new Uint8Array(0) },
    { name: "within the content", bytes: FILE.subarray(0, 100) },
    { name: "after the end", bytes: FILE },
    { name: "after a fault", bytes: changed(-8) },
  ])
    test(`frees the program ${name}, and can be called twice`, () => {
      const counting = countingSandbox();
      const reader = new GzipReader({ sandbox: counting, onOutput: () => {} });
      faultOf(() => takeAll(reader, bytes));
      expect(counting.openPrograms).toBe(1);
      reader.close();
      expect(counting.openPrograms).toBe(0);
      reader.close();
      expect(counting.openPrograms).toBe(0);
    });

  test("leaves a reader that takes nothing more", () => {
    const { reader, pieces } = openReader();
    reader.close();
    expect(() => reader.take(FILE)).toThrow("Cannot use a closed program");
    expect(() => reader.end()).toThrow("Cannot use a closed program");
    expect(pieces).toEqual([]);
  });
});

const CORPUS = path.join(import.meta.dirname, "../../../../../shared/testdata/zlib-ng/test");
const damaged = isMissing("testdata") ? [] : readdirSync(CORPUS);

describe.skipIf(damaged.length === 0)("files that broke zlib (skipped where testdata is missing)", () => {
  for (const name of damaged)
    test(`${name} is rejected`, () => {
      const file = Uint8Array.from(readFileSync(path.join(CORPUS, name, "test.gz")));
      for (const sizes of [[], [1]])
        expect(() => gunzip(file, sizes)).toThrow(expect.objectContaining({ code: "package_invalid" }));
    });
});
