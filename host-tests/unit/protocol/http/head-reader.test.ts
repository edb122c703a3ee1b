import { describe, expect, test } from "vitest";
import { HEAD_LIMIT_BYTES } from "../../../../protocol/http/fields.js";
import { HeadReader, REQUEST_LINE_LIMIT_BYTES } from "../../../../protocol/http/head-reader.js";
import { bytes } from "../../services/http/head.js";

const HEADS = [
  {
    name: "takes a head and no byte after it",
    wire: "GET / HTTP/1.1\r\n\r\nbody",
    taken: 18,
    complete: true,
  },
  {
    name: "takes all bytes of an incomplete head",
    wire: "GET / HTTP/1.1\r\nA: b\r\n",
    taken: 22,
    complete: false,
  },
  {
    name: "skips empty lines before the head",
    wire: "\r\n\r\nGET / HTTP/1.1\r\n\r\n",
    taken: 22,
    complete: true,
  },
  {
    name: "does not count empty lines before the head as its end",
    wire: "\r\n\r\nGET /",
    taken: 9,
    complete: false,
  },
  { name: "takes nothing from an empty input", wire: "", taken: 0, complete: false },
];

describe("HeadReader", () => {
  for (const { name, wire, taken, complete } of HEADS)
    test(name, () => {
      const reader = new HeadReader();
      expect(reader.push(bytes(wire))).toBe(taken);
      expect(reader.head !== undefined).toBe(complete);
    });

  test("returns the head without the empty line before it", () => {
    const reader = new HeadReader();
    reader.push(bytes("\r\nGET / HTTP/1.1\r\n\r\n"));
    expect(reader.head).toEqual(bytes("GET / HTTP/1.1\r\n\r\n"));
  });

  test("gives the same head for every split", () => {
    const wire = bytes("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    for (let at = 0; at <= wire.length; at++) {
      const reader = new HeadReader();
      expect(reader.push(wire.subarray(0, at)) + reader.push(wire.subarray(at))).toBe(wire.length);
      expect(reader.head).toEqual(wire.subarray(2));
    }
  });

  test("allocates one block for short heads, and a larger one for a long head until reset", () => {
    const blocks: { byteLength: number; isClosed: boolean }[] = [];
    const reader = new HeadReader({
      allocate(byteLength) {
        const block = { byteLength, isClosed: false };
        blocks.push(block);
        const close = () => {
          block.isClosed = true;
        };
        return { bytes: new Uint8Array(byteLength), close };
      },
    });
    const long = bytes(`GET / HTTP/1.1\r\nA: ${"b".repeat(2000)}\r\n\r\n`);
    const next = bytes("GET / HTTP/1.1\r\n\r\n");
    reader.push(long.subarray(0, 700));
    reader.push(long.subarray(700));
    expect(reader.head).toEqual(long);
    const short = { byteLength: 1024, isClosed: false };
    expect(blocks).toEqual([short, { byteLength: HEAD_LIMIT_BYTES, isClosed: false }]);
    reader.reset();
    reader.reset();
    expect(blocks).toEqual([short, { byteLength: HEAD_LIMIT_BYTES, isClosed: true }]);
    reader.push(next);
    expect(reader.head).toEqual(next);
    expect(blocks).toHaveLength(2);
  });

  test("takes nothing once complete, and takes the next head after a reset", () => {
    const reader = new HeadReader();
    reader.push(bytes("GET /one HTTP/1.1\r\n\r\n"));
    expect(reader.push(bytes("GET"))).toBe(0);
    reader.reset();
    expect(reader.isEmpty).toBe(true);
    reader.push(bytes("GET / HTTP/1.1\r\n\r\n"));
    expect(reader.head).toEqual(bytes("GET / HTTP/1.1\r\n\r\n"));
  });

  for (const wire of ["\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nA: b\n\r\n", "GET / HTTP/1.1\r\n\n"])
    test(`rejects a bare LF in ${JSON.stringify(wire)}, whole and byte by byte`, () => {
      expect(() => new HeadReader().push(bytes(wire))).toThrow(
        expect.objectContaining({ code: "bad_request" }),
      );
      const reader = new HeadReader();
      expect(() => {
        for (const byte of bytes(wire)) reader.push(Uint8Array.of(byte));
      }).toThrow(expect.objectContaining({ code: "bad_request" }));
    });

  test("accepts a head of exactly the limit", () => {
    const wire = `GET / HTTP/1.1\r\na: ${"b".repeat(HEAD_LIMIT_BYTES - 23)}\r\n\r\n`;
    const reader = new HeadReader();
    expect(reader.push(bytes(`${wire}rest`))).toBe(HEAD_LIMIT_BYTES);
    expect(reader.head?.length).toBe(HEAD_LIMIT_BYTES);
  });

  for (const step of [1, 1000, 100_000])
    test(`rejects a head of one byte more, fed ${step} at a time`, () => {
      const wire = bytes(`GET / HTTP/1.1\r\na: ${"b".repeat(HEAD_LIMIT_BYTES - 22)}\r\n\r\n`);
      const reader = new HeadReader();
      const feed = () => {
        for (let at = 0; at < wire.length; at += step) reader.push(wire.subarray(at, at + step));
      };
      expect(feed).toThrow(expect.objectContaining({ code: "head_too_large" }));
    });

  test("accepts a request line of exactly its limit", () => {
    const line = `GET /${"a".repeat(REQUEST_LINE_LIMIT_BYTES - 14)} HTTP/1.1\r\n`;
    expect(line.length).toBe(REQUEST_LINE_LIMIT_BYTES + 2);
    expect(new HeadReader().push(bytes(line))).toBe(line.length);
  });

  for (const ending of ["", "\r\n", "\r\nHost: a\r\n\r\n"])
    test(`rejects a longer request line, followed by ${JSON.stringify(ending)}`, () => {
      const line = `GET /${"a".repeat(REQUEST_LINE_LIMIT_BYTES - 13)} HTTP/1.1x${ending}`;
      expect(() => new HeadReader().push(bytes(line))).toThrow(
        expect.objectContaining({ code: "uri_too_long" }),
      );
    });
});
