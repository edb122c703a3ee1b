import fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8Checker } from "../../../../protocol/websocket/frame-head.js";

/** Node's decoder is the judge. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function accepts(...pieces: readonly Uint8Array[]): boolean {
  const checker = new Utf8Checker();
  return pieces.every((piece) => checker.push(piece)) && checker.isComplete;
}

/** Values at the edges of every range in RFC 3629 §4. */
const EDGES = [
  0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
  0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
];

test("Utf8Checker agrees with TextDecoder on every one and two bytes", () => {
  const bytes = new Uint8Array(2);
  for (let pair = 0; pair < 0x10000; pair++) {
    bytes[0] = pair >> 8;
    bytes[1] = pair & 0xff;
    if (accepts(bytes) !== isUtf8(bytes)) expect.fail(`differs on ${bytes}`);
  }
});

test("Utf8Checker agrees with TextDecoder on every four bytes at the edges of ranges", () => {
  for (const a of EDGES.filter((byte) => byte >= 0x80))
    for (const b of EDGES)
      for (const c of EDGES)
        for (const d of [0x00, 0x7f, 0x80, 0xbf, 0xc0]) {
          const bytes = Uint8Array.of(a, b, c, d);
          if (accepts(bytes) !== isUtf8(bytes)) expect.fail(`differs on ${bytes}`);
        }
});

test("Utf8Checker accepts any text in any two pieces", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(), (text, split) => {
      const bytes = new TextEncoder().encode(text);
      const at = bytes.length === 0 ? 0 : split % bytes.length;
      expect(accepts(bytes.subarray(0, at), bytes.subarray(at))).toBe(true);
    }),
  );
});
