/** Domain names within a message, by the program's TypeScript in Node. */
import { describe, expect, test } from "vitest";
import {
  copyName,
  endOf,
  MALFORMED,
  nameMatches as matchesAt,
  measureName,
} from "../../../../device/sandbox/dns/name.js";
import { createMemory } from "../../../../device/sandbox/memory.js";
import { domainName } from "../../../../device/services/mdns/domain-name.js";

const bytes = (...parts: (number | string)[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...Buffer.from(part)])));

/** Addresses of the message and of another name. */
const MESSAGE = 512;
const NAME = 0;

function remember(message: Uint8Array, name: Uint8Array = new Uint8Array(0)): Uint8Array {
  const memory = createMemory(MESSAGE + message.length);
  memory.set(name, NAME);
  memory.set(message, MESSAGE);
  return memory;
}

function endOfName(message: Uint8Array, offset: number): number {
  remember(message);
  const measured = measureName(MESSAGE, message.length, offset);
  return measured === MALFORMED ? -1 : endOf(measured);
}

function nameMatches(message: Uint8Array, offset: number, name: Uint8Array): boolean {
  remember(message, name);
  return matchesAt(MESSAGE, offset, NAME);
}

function expandName(message: Uint8Array, offset: number): Uint8Array {
  const memory = remember(message);
  return memory.slice(NAME, NAME + copyName(MESSAGE, offset, NAME));
}

describe("names in a message", () => {
  // 0: "local", 7: "a" and a pointer to 0, 11: a pointer to 7
  const message = bytes(5, "local", 0, 1, "a", 0xc0, 0, 0xc0, 7);

  test("end after their first pointer", () => {
    expect(endOfName(message, 0)).toBe(7);
    expect(endOfName(message, 7)).toBe(11);
    expect(endOfName(message, 11)).toBe(13);
  });

  test("are compared through pointers", () => {
    expect(nameMatches(message, 11, domainName("a", "local"))).toBe(true);
    expect(nameMatches(message, 11, domainName("b", "local"))).toBe(false);
    expect(nameMatches(message, 11, domainName("a", "local", "net"))).toBe(false);
    expect(nameMatches(message, 7, domainName("a"))).toBe(false);
  });

  test("are copied without pointers", () => {
    expect(expandName(message, 11)).toEqual(domainName("a", "local"));
  });

  const MALFORMED = [
    { name: "a pointer to itself", wire: bytes(0xc0, 0) },
    { name: "a pointer forward", wire: bytes(0xc0, 2, 0) },
    { name: "pointers that lead to each other", wire: bytes(1, "a", 0xc0, 4, 0xc0, 0), at: 4 },
    { name: "a pointer into the piece that it ends", wire: bytes(1, "a", 1, "b", 0xc0, 2), at: 0 },
    { name: "half a pointer", wire: bytes(1, "a", 0xc0) },
    { name: "a label that runs past the end", wire: bytes(5, "loca") },
    { name: "no terminator", wire: bytes(1, "a") },
    { name: "a length byte of the reserved kinds 01", wire: bytes(0x41, "a", 0) },
    { name: "a length byte of the reserved kinds 10", wire: bytes(0x81, "a", 0) },
  ];
  for (const { name, wire, at = 0 } of MALFORMED)
    test(`are rejected with ${name}`, () => expect(endOfName(wire, at)).toBe(-1));

  test("are rejected over 255 bytes, however short on the wire", () => {
    const labels = bytes(63, "a".repeat(63), 63, "b".repeat(63), 63, "c".repeat(63), 0);
    const wire = bytes(...labels, 61, "d".repeat(61), 0xc0, 0, 62, "d".repeat(62), 0xc0, 0);
    expect(endOfName(wire, labels.length)).toBe(labels.length + 64);
    expect(endOfName(wire, labels.length + 64)).toBe(-1);
  });

  test("are rejected past ten pointers", () => {
    const chain = bytes(
      0,
      ...Array.from({ length: 200 }, (_, index) => [0xc0, index < 1 ? 0 : 2 * index - 1]).flat(),
    );
    expect(endOfName(chain, 1 + 2 * 9)).toBe(3 + 2 * 9);
    expect(endOfName(chain, 1 + 2 * 10)).toBe(-1);
  });
});
