import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteCollector } from "../../../hub-client/answer-head.js";

test("property: pieces of any size are collected unchanged up to the limit", () =>
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.nat(400), (pieces, limit) => {
      const collector = new ByteCollector(limit);
      for (const piece of pieces) collector.push(piece);
      const all = Buffer.concat(pieces);
      expect(collector.isOver).toBe(all.length > limit);
      expect(Buffer.from(collector.join())).toEqual(all.length > limit ? Buffer.alloc(0) : all);
    }),
  ));

test("4096 pieces of one byte stay in one buffer, which never exceeds the limit", () => {
  const collector = new ByteCollector(4096);
  for (let at = 0; at < 4096; at++) collector.push(Uint8Array.of(at & 0xff));
  expect(collector.join().buffer.byteLength).toBe(4096);
  expect(collector.join()[4095]).toBe(0xff);
});

test("a piece is copied", () => {
  const collector = new ByteCollector(4);
  const piece = Uint8Array.of(1, 2);
  collector.push(piece);
  piece.fill(9);
  expect([...collector.join()]).toEqual([1, 2]);
});
