/** The board's pin map: each pin once, and none that the chip or its module uses itself. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { freePins, pinMap, root } from "./board-manifest.js";

/** Reserved pins of an ESP32-S3 with octal PSRAM, on the board of docs/board.md. */
const TAKEN = [
  { what: "selects how the chip starts", pins: [0, 3, 45, 46] },
  { what: "is the USB port", pins: [19, 20] },
  { what: "does not exist", pins: [22, 23, 24, 25] },
  { what: "is flash or PSRAM", pins: [26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37] },
  { what: "is the serial port for programming", pins: [43, 44] },
  { what: "is the board's light", pins: [48] },
];

const used = [...pinMap().values(), ...freePins()];

test("no pin has two uses, or is both used and free", () => {
  expect(used.filter((pin, index) => used.indexOf(pin) !== index)).toEqual([]);
});

for (const { what, pins } of TAKEN)
  test(`no pin that ${what} is used`, () => {
    expect(used.filter((pin) => pins.includes(pin))).toEqual([]);
  });

test("each pin of the chip is either used, free or reserved", () => {
  const all = [...used, ...TAKEN.flatMap(({ pins }) => pins)].sort((a, b) => a - b);
  expect(all).toEqual(Array.from({ length: 49 }, (_, pin) => pin));
});

test("the wiring table of docs/board.md matches the pin map", () => {
  const text = readFileSync(path.join(root, "docs/board.md"), "utf8");
  const rows = text.matchAll(/^\| GPIO (\d+) \| `([a-z.]+)` \|/gm);
  const table = [...rows].map(([, pin, name]) => [name, Number(pin)]);
  expect(new Map(table as [string, number][])).toEqual(pinMap());
  expect(table.length).toBe(pinMap().size);
});

test("docs/board.md names the pins for apps", () => {
  const text = readFileSync(path.join(root, "docs/board.md"), "utf8");
  expect(text).toContain(`Apps have GPIO ${freePins().slice(0, -1).join(", ")} and ${freePins().at(-1)}.`);
});
