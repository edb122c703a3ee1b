import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "../../../device-client/usb-messages.js";

const bytes = (text: string) => new TextEncoder().encode(text);

const CASES = [
  { name: "two lines", wire: "one\ntwo\n", lines: ["one", "two"] },
  { name: "CR anywhere", wire: "o\rne\r\ntwo\r\n", lines: ["one", "two"] },
  { name: "empty lines as none", wire: "\n\r\n\none\n\n", lines: ["one"] },
  { name: "no line before its end", wire: "one\ntwo", lines: ["one"] },
  { name: "characters of several bytes", wire: "Grüße 🎮\n", lines: ["Grüße 🎮"] },
  { name: "a line of exactly the limit", wire: `${"x".repeat(20)}\n`, lines: ["x".repeat(20)] },
  { name: "nothing of a longer line", wire: `${"x".repeat(21)}\nnext\n`, lines: ["next"], dropped: 1 },
];

for (const { name, wire, lines, dropped = 0 } of CASES)
  test(`a splitter takes ${name}, however the bytes are split`, () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 })), (sizes) => {
        const splitter = new LineSplitter(20);
        const all = bytes(wire);
        const found: string[] = [];
        let start = 0;
        for (const size of [...sizes, all.length]) {
          const piece = all.slice(start, start + size);
          found.push(...splitter.push(piece));
          piece.fill(0); // the port may use it again
          start += size;
        }
        expect([found, splitter.droppedLines]).toEqual([lines, dropped]);
      }),
    );
  });
