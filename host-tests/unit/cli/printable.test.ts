import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSelector } from "../../../cli/device/device-route.js";
import { bytesText, durationText } from "../../../cli/terminal/format.js";
import {
  printable,
  printableColoured,
  printableJson,
  printableLines,
} from "../../../cli/terminal/printable.js";

const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe("Text from others", () => {
  test("keeps no control character or escape sequence for the terminal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printable(text)).not.toMatch(/[\n\t]/);
        for (const shown of [printable(text), printableLines(text), printableJson({ text })])
          expect(shown).not.toMatch(OBEYED);
        expect(JSON.parse(printableJson({ text }))).toEqual({ text });
      }),
    );
  });

  test("keeps colours that svc added, and no other escape sequences", () => {
    expect(printableColoured("\u001b[31mred\u001b[39m \u001b[2J\u009b31m")).toBe(
      "\u001b[31mred\u001b[39m ?[2J?31m",
    );
  });

  test("keeps letters of all scripts", () => {
    for (const text of ["Grüße", "日本語", "🎮"]) expect(printable(text)).toBe(text);
  });
});

test("sizes and durations are written in the units that people use", () => {
  expect([0, 1023, 1024, 1_572_864, 5e9].map(bytesText)).toEqual([
    ...["0 bytes", "1023 bytes", "1.0 KiB", "1.5 MiB", "4.7 GiB"],
  ]);
  expect([0, 412, 12_900, 61_000, 7_380_000, 180_000_000].map(durationText)).toEqual([
    ...["0.0 s", "0.4 s", "12 s", "1 min 1 s", "2 h 3 min", "2 d 2 h"],
  ]);
});

describe("--device selects", () => {
  const MEANT = [
    { text: undefined, kind: "any" },
    { text: "", kind: "any" },
    { text: "http://192.168.1.20:8080", kind: "address" },
    { text: "192.168.1.20", kind: "address" },
    { text: "192.168.1.20:80", kind: "address" },
    { text: "fe80::1", kind: "address" },
    { text: "localhost", kind: "address" },
    { text: "console.example.org", kind: "address" },
    { text: "usb:/dev/ttyACM0", kind: "address" },
    { text: "/dev/ttyACM0", kind: "address" },
    { text: ".console/usb", kind: "address" },
    { text: "COM3", kind: "address" },
    { text: "Console-1A2B", kind: "name" },
    { text: "Console-1A2B (2)", kind: "name" },
    { text: "Console-1A2B.local", kind: "host" },
  ];
  for (const { text, kind } of MEANT)
    test(`${kind} by ${text === undefined ? "nothing" : `"${text}"`}`, () =>
      expect(readSelector(text).kind).toBe(kind));
});
