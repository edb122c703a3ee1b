/** Lines that arrive over USB (docs/spec/usb.md#framing). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineReader } from "../../../../device/services/usb/line-reader.js";
import { loadSandbox } from "../../../../tools/sandbox.js";

const sandbox = await loadSandbox(["usb-line"]);

const LIMIT = 5120;
const utf8 = (text: string) => new TextEncoder().encode(text);
const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

/** Every line that comes of `pieces`, one character a byte; a line that was cut has an ellipsis. */
function lines(reader: LineReader, ...pieces: Uint8Array[]): string[] {
  const result: string[] = [];
  for (const piece of pieces) {
    for (let rest = piece; rest.length > 0; ) {
      rest = rest.subarray(feed(reader, rest));
      for (let line = reader.next(); line; line = reader.next())
        result.push(latin1(line.bytes) + (line.isWhole ? "" : "…"));
    }
  }
  return result;
}

/** @returns how many of `bytes` there was room for */
function feed(reader: LineReader, bytes: Uint8Array): number {
  return reader.feed(bytes.length, (into) => into.set(bytes.subarray(0, into.length)));
}

const INPUTS = [
  { name: "returns a line at its LF", input: "one\ntwo\nthr", is: ["one", "two"] },
  { name: "accepts CRLF as an end", input: "one\r\ntwo\r\n", is: ["one", "two"] },
  { name: "ignores CR anywhere", input: "\ro\rn\r\re\n\r\rtwo\n", is: ["one", "two"] },
  { name: "skips empty lines", input: "\n\n\r\n\r\r\none\n\n", is: ["one"] },
  { name: "keeps any other byte", input: "\0\t \x7f\n", is: ["\0\t \x7f"] },
  {
    name: "counts bytes, not characters",
    input: "ä€😀\r\n€\n",
    is: ["ä€😀", "€"].map((t) => latin1(utf8(t))),
  },
  {
    name: "keeps a byte order mark as part of the line",
    input: "\ufeffa\n",
    is: [latin1(utf8("\ufeffa"))],
  },
  { name: "accepts a line of 5120 bytes", input: `${"a".repeat(LIMIT)}\n`, is: ["a".repeat(LIMIT)] },
  { name: "does not count CR", input: `${"a\r".repeat(LIMIT)}\n`, is: ["a".repeat(LIMIT)] },
  {
    name: "truncates a line of 5121 bytes, and continues after it",
    input: `${"a".repeat(LIMIT + 1)}\nb\n`,
    is: [`${"a".repeat(LIMIT)}…`, "b"],
  },
  {
    name: "truncates a line once, however long it is",
    input: `${"a\r".repeat(LIMIT * 9)}\r\nb\n`,
    is: [`${"a".repeat(LIMIT)}…`, "b"],
  },
];
describe("LineReader", () => {
  for (const { name, input, is } of INPUTS) {
    test(name, () => expect(lines(new LineReader(sandbox), utf8(input))).toEqual(is));
    test(`${name}, in two pieces split anywhere`, () => {
      const bytes = utf8(input);
      const step = Math.max(1, Math.floor(bytes.length / 300));
      const reader = new LineReader(sandbox);
      for (let cut = 0; cut <= bytes.length; cut += step) {
        reader.reset();
        expect(lines(reader, bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(is);
      }
    });
    test(`${name}, byte by byte`, () => {
      const pieces = Array.from(utf8(input), (byte) => Uint8Array.of(byte));
      expect(lines(new LineReader(sandbox), ...pieces)).toEqual(is);
    });
  }

  test("returns the bytes so far of an unfinished line at once", () => {
    expect(lines(new LineReader(sandbox), utf8("a".repeat(LIMIT + 1)))).toEqual([`${"a".repeat(LIMIT)}…`]);
  });

  test("forgets an unfinished line", () => {
    const reader = new LineReader(sandbox);
    lines(reader, utf8("half"));
    reader.reset();
    expect(lines(reader, utf8("whole\n"))).toEqual(["whole"]);
  });

  test("forgets that it was dropping a line", () => {
    const reader = new LineReader(sandbox);
    lines(reader, utf8("a".repeat(LIMIT + 1)));
    reader.reset();
    expect(lines(reader, utf8("whole\n"))).toEqual(["whole"]);
  });

  test("drops lines that were not requested", () => {
    const reader = new LineReader(sandbox);
    feed(reader, utf8("one\ntwo\n"));
    reader.reset();
    expect(lines(reader, utf8("three\n"))).toEqual(["three"]);
  });

  test("property: whatever the bytes and the pieces, the lines are those between LF without CR", () => {
    const byte = fc.oneof(fc.constantFrom(10, 13), fc.nat(255));
    const piece = fc.array(byte, { maxLength: 40 }).map((bytes) => Uint8Array.from(bytes));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const whole = pieces.map(latin1).join("").replaceAll("\r", "").split("\n").slice(0, -1);
        expect(lines(new LineReader(sandbox), ...pieces)).toEqual(whole.filter((line) => line !== ""));
      }),
    );
  });
});
