/** Changes of a board's costs are reported, unless small. */
import { describe, expect, test } from "vitest";
import { differences } from "../../../../boards/rv32/session/compare.js";
import { boardFigures } from "./board.js";

const before = boardFigures();
const idle = (needed: number) => boardFigures("idle", { needed });

test("equal figures have no differences", () => expect(differences(before, before)).toEqual([]));

describe("differences of three percent are accepted, no more", () => {
  for (const needed of [48_500, 51_500])
    test(`accepts ${needed} for 50000`, () => expect(differences(before, idle(needed))).toEqual([]));
  test("reports more", () =>
    expect(differences(before, idle(51_501))).toEqual([
      "idle, needed: 51,501, and 50,000 is recorded (+3.0 %)",
    ]));
  test("reports less", () =>
    expect(differences(before, idle(40_000))).toEqual([
      "idle, needed: 40,000, and 50,000 is recorded (-20.0 %)",
    ]));
  test("reports any figure above a recorded 0", () =>
    expect(differences(boardFigures("idle", { heap: 0 }), boardFigures("idle", { heap: 1 }))).toEqual([
      "idle, heap: 1, and 0 is recorded",
    ]));
});

test("parts of the flash are compared, too", () => {
  const grown = { ...before, flash: { ...before.flash, program: 400_000 } };
  expect(differences(before, grown)).toEqual(["flash, program: 400,000, and 300,000 is recorded (+33.3 %)"]);
});

test("new and missing figures are named", () => {
  const { host, ...flash } = before.flash;
  const without = { ...before, flash };
  expect(differences(without, before)).toEqual([`flash, host: 40,000, and nothing is recorded`]);
  expect(differences(before, without)).toEqual([`flash, host: is gone, and 40,000 is recorded`]);
});
