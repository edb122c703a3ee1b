import fc from "fast-check";
import { expect, test } from "vitest";
import { LineRing } from "../../../../device/services/logs/line-ring.js";

const bytesOf = (line: string) => 2 + new TextEncoder().encode(line).length;

test("LineRing numbers lines from 0 in the order they came", () => {
  const ring = new LineRing(new Uint8Array(64));
  ring.push("one");
  ring.push("two");
  expect([ring.first, ring.next, ring.line(0), ring.line(1)]).toEqual([0, 2, "one", "two"]);
});

test("LineRing keeps the newest lines, whole, whatever their lengths and whenever they are read", () => {
  const lines = fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 400 }), lines, fc.nat(9), (size, pushed, readEvery) => {
      const ring = new LineRing(new Uint8Array(size));
      const kept = pushed.filter((line) => bytesOf(line) <= size >> 1);
      for (const [number, line] of kept.entries()) {
        ring.push(line);
        if (number % (readEvery + 1) === 0) expect(ring.line(number)).toBe(line);
      }
      for (let number = ring.first; number < ring.next; number += 1)
        expect(ring.line(number)).toBe(kept[number]);
      expect(ring.next).toBe(kept.length);
    }),
  );
});

test("LineRing rejects an unknown number and a line it could never keep", () => {
  const ring = new LineRing(new Uint8Array(32));
  ring.push("a");
  for (const number of [-1, 1, Number.NaN]) expect(() => ring.line(number)).toThrow(RangeError);
  expect(() => ring.push("x".repeat(15))).toThrow(RangeError);
  expect(ring.line(0)).toBe("a");
});
