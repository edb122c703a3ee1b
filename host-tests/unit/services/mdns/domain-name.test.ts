import { describe, expect, test } from "vitest";
import { domainName, labelsOf, nameText, sameName } from "../../../../device/services/mdns/domain-name.js";

const bytes = (...parts: (number | string)[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : [...Buffer.from(part)])));

describe("domainName", () => {
  test("puts a length before each label and a zero at the end", () => {
    expect(domainName("_svc", "local")).toEqual(bytes(4, "_svc", 5, "local", 0));
  });

  test("counts a label in bytes of UTF-8", () => {
    expect(domainName("é", "local")).toEqual(bytes(2, 0xc3, 0xa9, 5, "local", 0));
  });

  test("accepts a label of 63 bytes and rejects one of 64", () => {
    expect(domainName("a".repeat(63))).toHaveLength(65);
    expect(() => domainName("a".repeat(64))).toThrow(RangeError);
  });

  test("accepts a name of 255 bytes and rejects one of 256", () => {
    const labels = ["a".repeat(63), "b".repeat(63), "c".repeat(63)];
    expect(domainName(...labels, "d".repeat(61))).toHaveLength(255);
    expect(() => domainName(...labels, "d".repeat(62))).toThrow(RangeError);
  });

  test("rejects an empty label", () => {
    expect(() => domainName("", "local")).toThrow(RangeError);
  });

  test("returns its labels, including dots within them", () => {
    const name = domainName("No. 1", "_svc", "local");
    expect(labelsOf(name)).toEqual(["No. 1", "_svc", "local"]);
    expect(nameText(name)).toBe("No. 1._svc.local");
  });
});

describe("names", () => {
  test("are compared without case in ASCII letters alone", () => {
    expect(sameName(domainName("Console-1A2B"), domainName("cONSOLE-1a2b"))).toBe(true);
    expect(sameName(domainName("É"), domainName("é"))).toBe(false);
    expect(sameName(domainName("a["), domainName("a{"))).toBe(false);
  });
});
