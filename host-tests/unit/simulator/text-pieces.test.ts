import { describe, expect, test } from "vitest";
import { cutText, PIECE_BYTES } from "../../../tools/firmware-modules.js";

const line = (byteLength: number) => `${"x".repeat(byteLength - 1)}\n`;

describe("Text is cut", () => {
  const CASES = [
    { name: "into nothing where there is none", text: "", lengths: [] },
    { name: "where lines end", text: line(1000) + line(24) + line(1), lengths: [1024, 1] },
    { name: "with as many lines in a piece as fit", text: line(100).repeat(25), lengths: [1000, 1000, 500] },
    { name: "after a line that fits, and one without an end", text: `${line(1024)}x`, lengths: [1024, 1] },
    { name: "within a line that is longer than a piece", text: line(2060) + line(1000), lengths: undefined },
    { name: "between code points", text: `x${"🔑".repeat(1000)}ü${"€".repeat(1000)}`, lengths: undefined },
  ];
  for (const { name, text, lengths } of CASES)
    test(name, () => {
      const pieces = cutText(text);
      const sizes = pieces.map((piece) => Buffer.byteLength(piece));
      if (lengths) expect(sizes).toEqual(lengths);
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(PIECE_BYTES);
      expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()).toBe(text);
    });
});
