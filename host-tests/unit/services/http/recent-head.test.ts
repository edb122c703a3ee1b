/** A head that is repeated byte for byte is not parsed again: one head is kept, and no more. */
import { describe, expect, test } from "vitest";
import { PerHead, RecentHead } from "../../../../device/services/http/request-head.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
const wire = (value: string) => `GET /a HTTP/1.1\r\nHost: a\r\nX: ${value}\r\n\r\n`;

describe("RecentHead", () => {
  test("recalls the head that it has read", () => {
    const heads = new RecentHead(new TextDecoder());
    const head = heads.read(bytes(wire("1")));
    expect(head).toMatchObject({ method: "GET", target: "/a" });
    expect(heads.recall(bytes(wire("1")))).toBe(head);
  });

  const OTHERS = [
    { name: "another head of its length", other: bytes(wire("2")) },
    { name: "a part of it", other: bytes(wire("1").slice(0, -1)) },
    { name: "more than it", other: bytes(`${wire("1")}G`) },
    { name: "a head with a byte order mark", other: bytes(`\ufeff${wire("1").slice(0, -3)}`) },
    { name: "nothing", other: new Uint8Array(0) },
  ];
  for (const { name, other } of OTHERS)
    test(`does not recall it for ${name}`, () => {
      const heads = new RecentHead(new TextDecoder());
      heads.read(bytes(wire("1")));
      expect(heads.recall(other)).toBeUndefined();
    });

  test("recalls only the latest head", () => {
    const heads = new RecentHead(new TextDecoder());
    heads.read(bytes(wire("1")));
    const second = heads.read(bytes(wire("2")));
    expect(heads.recall(bytes(wire("1")))).toBeUndefined();
    expect(heads.recall(bytes(wire("2")))).toBe(second);
  });

  test("does not recall a head with opaque bytes", () => {
    const heads = new RecentHead(new TextDecoder());
    heads.read(latin1(wire("\xff")));
    expect(heads.recall(latin1(wire("\xff")))).toBeUndefined();
    expect(heads.recall(latin1(wire("\xfe")))).toBeUndefined();
    heads.read(bytes(wire("é")));
    expect(heads.recall(bytes(wire("é")))).toBeUndefined();
  });

  test("recalls nothing at first, nor after a head that was invalid or long", () => {
    const heads = new RecentHead(new TextDecoder());
    expect(heads.recall(bytes(wire("1")))).toBeUndefined();
    expect(() => heads.read(bytes("GET\r\n\r\n"))).toThrow();
    expect(heads.recall(bytes("GET\r\n\r\n"))).toBeUndefined();
    const long = bytes(wire("x".repeat(1024)));
    heads.read(long);
    expect(heads.recall(long)).toBeUndefined();
  });

  test("decodes a long head once, before its opaque bytes are replaced", () => {
    const decoded: string[] = [];
    const decoder = new TextDecoder();
    const heads = new RecentHead({
      decode: (bytes) => {
        decoded.push(decoder.decode(bytes));
        return decoded.at(-1) ?? "";
      },
    });
    heads.read(latin1(wire("\xff".repeat(1024))));
    expect(decoded.map((text) => text.includes("\ufffd"))).toEqual([false]);
  });
});

test("PerHead creates a value once per head, and again after a failure", () => {
  const heads = new RecentHead(new TextDecoder());
  const [first, second] = [heads.read(bytes(wire("1"))), heads.read(bytes(wire("2")))];
  const made: unknown[] = [];
  const values = new PerHead((head) => {
    made.push(head);
    if (made.length === 3) throw new Error("not this time");
    return made.length;
  });
  expect([values.of(first), values.of(first), values.of(second), values.of(second)]).toEqual([1, 1, 2, 2]);
  expect(() => values.of(first)).toThrow();
  expect([values.of(first), values.of(first)]).toEqual([4, 4]);
});

test("PerHead keeps nothing created from a long head", () => {
  const heads = new RecentHead(new TextDecoder());
  const [short, long] = [heads.read(bytes(wire("1"))), heads.read(bytes(wire("x".repeat(1024))))];
  let count = 0;
  const values = new PerHead(() => ++count);
  expect([values.of(short), values.of(long), values.of(long), values.of(short)]).toEqual([1, 2, 3, 1]);
});
