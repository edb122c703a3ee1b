/** The next name after a conflict (docs/spec/mdns.md#conflict). */
import { describe, expect, test } from "vitest";
import { hostLabel, instanceLabel } from "../../../../device/services/mdns/claim.js";

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe("the next name", () => {
  test("of an instance counts in parentheses", () => {
    expect([1, 2, 10].map((attempt) => instanceLabel("Console-1A2B", attempt))).toEqual([
      "Console-1A2B",
      "Console-1A2B (2)",
      "Console-1A2B (10)",
    ]);
  });

  test("of a host counts after a hyphen", () => {
    expect([1, 2, 10].map((attempt) => hostLabel("Console-1A2B", attempt))).toEqual([
      "Console-1A2B",
      "Console-1A2B-2",
      "Console-1A2B-10",
    ]);
  });

  test("of a host has letters, digits and hyphens alone", () => {
    expect(hostLabel("Anna's Konsole (blau)", 1)).toBe("Anna-s-Konsole-blau");
    expect(hostLabel("__x__", 1)).toBe("x");
    expect(hostLabel("日本", 1)).toBe("console");
  });

  test("is cut between characters to fit a label", () => {
    expect(bytesOf(instanceLabel("é".repeat(40), 1))).toBe(62);
    expect(instanceLabel("é".repeat(40), 2)).toBe(`${"é".repeat(29)} (2)`);
    expect(instanceLabel("😀".repeat(40), 1)).toBe("😀".repeat(15));
    expect(hostLabel("a".repeat(70), 2)).toBe(`${"a".repeat(61)}-2`);
  });
});
