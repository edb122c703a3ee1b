import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { crc32, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isMissing } from "../../../hosts/peers.js";
import { gunzip } from "./inflating.js";
import { ascii, joined } from "./packing.js";
import { mixture } from "./samples.js";

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

/** The file with a byte changed; counted from its end where `at` is negative. */
function changed(at: number, file: Uint8Array = FILE): Uint8Array {
  const bytes = file.slice();
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] as number) ^ 0x80;
  return bytes;
}

const REFUSED: readonly { name: string; bytes: Uint8Array; says: RegExp }[] = [
  { name: "nothing", bytes: new Uint8Array(0), says: /early/ },
  { name: "bytes of no gzip file", bytes: ascii("\0asm\x01\0\0\0\0\0"), says: /none/ },
  { name: "another compression method", bytes: changed(2), says: /method/ },
  { name: "a reserved flag", bytes: changed(3), says: /flags/ },
  { name: "a wrong checksum of the header", bytes: changed(10, joined(head(FHCRC), BODY)), says: /header/ },
  {
    name: "a header that does not match its checksum",
    bytes: changed(13, joined(head(FHCRC | FEXTRA), BODY)),
    says: /header/,
  },
  { name: "a wrong checksum", bytes: changed(-8), says: /checksum/ },
  { name: "a wrong length", bytes: changed(-1), says: /length/ },
  { name: "a zero byte after the end", bytes: joined(FILE, Uint8Array.of(0)), says: /early/ },
  { name: "zeros after the end", bytes: joined(FILE, new Uint8Array(512)), says: /follow/ },
  { name: "other bytes after the end", bytes: joined(FILE, ascii("something else")), says: /follow/ },
  { name: "a second member that is damaged", bytes: joined(FILE, changed(-8)), says: /checksum/ },
];

describe("GzipReader", () => {
  for (let flags = 0; flags < 32; flags++)
    test(`reads a header with flags ${flags}, whole and byte by byte`, () => {
      const file = joined(head(flags), BODY);
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

  for (const { name, bytes, says } of REFUSED)
    test(`rejects ${name}`, () => {
      for (const sizes of [[], [1]])
        expect(() => gunzip(bytes, sizes)).toThrow(
          expect.objectContaining({ code: "package_invalid", message: expect.stringMatching(says) }),
        );
    });

  test("rejects a file truncated to any length", () => {
    const file = joined(head(31), gzipSync("some content").subarray(10));
    for (let length = 0; length < file.length; length++)
      expect(() => gunzip(file.subarray(0, length))).toThrow(
        expect.objectContaining({ code: "package_invalid" }),
      );
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
