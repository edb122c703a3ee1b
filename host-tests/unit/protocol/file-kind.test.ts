import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FILE_KIND_BYTES, FileKindReader, fileKindOf } from "../../../protocol/file-kind.js";

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));

const FILES = [
  { name: "a gzip file", start: gzipSync("tetris"), kind: "package" },
  { name: "a WebAssembly module", start: bytes("\0asm\x01\0\0\0"), kind: "module" },
  { name: "an AOT file", start: bytes("\0aot\x05\0\0\0"), kind: "variant" },
  { name: "a firmware bundle", start: bytes("AKFW"), kind: undefined },
  { name: "a zip archive", start: bytes("PK\x03\x04"), kind: undefined },
  { name: "a text", start: bytes("asm"), kind: undefined },
  { name: "nothing", start: bytes(""), kind: undefined },
  { name: "less than a module's magic", start: bytes("\0as"), kind: undefined },
];
for (const { name, start, kind } of FILES)
  test(`${name} is ${kind === undefined ? "no kind of app" : `a ${kind}`}`, () => {
    expect(fileKindOf(start)).toBe(kind);
    expect(fileKindOf(start.subarray(0, FILE_KIND_BYTES))).toBe(kind);
  });

for (const { name, start, kind } of FILES)
  test(`the kind of ${name} is known after its first bytes, also one at a time`, () => {
    const [whole, single] = [new FileKindReader(), new FileKindReader()];
    whole.push(start);
    for (const byte of start) single.push(Uint8Array.of(byte));
    const isDecided = start.length >= FILE_KIND_BYTES;
    for (const reader of [whole, single])
      expect([reader.isDecided, reader.kind]).toEqual([isDecided, isDecided ? kind : undefined]);
  });
