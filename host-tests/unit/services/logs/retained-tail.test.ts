/** Lines that outlive a crash (docs/spec/logs.md#retained). */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RetainedMemory } from "../../../../device/ports/retained-memory.js";
import { RetainedTail } from "../../../../device/services/logs/line-ring.js";
import { LOG_LINE_LIMIT_BYTES } from "../../../../device/services/logs/log-line.js";

class PlainMemory implements RetainedMemory {
  readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  get byteLength() {
    return this.bytes.length;
  }
  read(into: Uint8Array, offset: number) {
    into.set(this.bytes.subarray(offset, offset + into.length));
  }
  write(bytes: Uint8Array, offset: number) {
    this.bytes.set(bytes, offset);
  }
}

const memoryOf = (size: number) => new PlainMemory(new Uint8Array(size));

test("RetainedTail passes the last lines of this run to the next one, oldest first", () => {
  const memory = memoryOf(100);
  const before = new RetainedTail(memory);
  expect(before.lines()).toEqual([]);
  for (const line of ["one", "two", "drei äöü"]) before.push(line);
  expect(new RetainedTail(memory).lines()).toEqual(["one", "two", "drei äöü"]);
});

test("RetainedTail still has the lines of a crashed run after a second crash", () => {
  const memory = memoryOf(100);
  new RetainedTail(memory).push("one");
  new RetainedTail(memory).push("two");
  expect(new RetainedTail(memory).lines()).toEqual(["one", "two"]);
});

test("RetainedTail keeps as many whole lines as fit", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 20 }), { maxLength: 60 }), (texts) => {
      const lines = texts.map((text) => text.replaceAll(/[\u0000-\u001f\u007f]/g, "_"));
      const memory = memoryOf(128);
      const before = new RetainedTail(memory);
      for (const line of lines) before.push(line);
      const found = new RetainedTail(memory).lines();
      expect(found).toEqual(lines.slice(lines.length - found.length));
      if (found.length < lines.length) {
        const bytes = lines.slice(lines.length - found.length - 1).join("\n").length + 1;
        expect(bytes).toBeGreaterThan(120 - 1);
      }
    }),
  );
});

test("RetainedTail leaves out partial lines of a crash, and memory that was never written", () => {
  const memory = memoryOf(20_000);
  new RetainedTail(memory).push("one");
  const position = memory.bytes.slice(4, 8);
  new RetainedTail(memory).push("a line whose position was never written");
  memory.write(position, 4);
  new RetainedTail(memory).push("two");
  new RetainedTail(memory).push("three");
  expect(new RetainedTail(memory).lines()).toEqual(["one", "two", "three"]);
});

test("RetainedTail returns no line that exceeds a log's limits, and no more than a log holds", () => {
  const memory = memoryOf(20_000);
  new RetainedTail(memory).push("one");
  memory.write(new Uint8Array(19_000).fill(0x07), 100);
  memory.write(Uint8Array.of(0x0a), 19_999);
  for (const line of new RetainedTail(memory).lines())
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LOG_LINE_LIMIT_BYTES);
  for (let at = 100; at < 20_000; at += 2) memory.write(Uint8Array.of(0x61, 0x0a), at);
  expect(new RetainedTail(memory).lines()).toHaveLength(256);
});

test("RetainedTail reads arbitrary memory without an exception", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.boolean(), (bytes, isMarked) => {
      const memory = new PlainMemory(bytes.slice());
      if (isMarked) memory.write(Uint8Array.of(0x53, 0x56, 0x43, 0x4c), 0);
      const lines = new RetainedTail(memory).lines();
      if (!isMarked) expect(lines).toEqual([]);
      for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f]/);
    }),
  );
});
