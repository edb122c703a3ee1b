import { describe, expect, test } from "vitest";
import { cutText, PIECE_BYTES } from "../../../engine/program/firmware-modules.js";

const line = (byteLength: number) => `${"x".repeat(byteLength - 1)}\n`;

describe("Text is cut", () => {
  const CASES = [
    { name: "into nothing if empty", text: "", lengths: [] },
    { name: "at line ends", text: line(1000) + line(24) + line(1), lengths: [1024, 1] },
    { name: "into as few pieces as possible", text: line(100).repeat(25), lengths: [1000, 1000, 500] },
    { name: "after a line that fits, and one without an end", text: `${line(1024)}x`, lengths: [1024, 1] },
    { name: "within a line longer than a piece", text: line(2060) + line(1000), lengths: undefined },
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
