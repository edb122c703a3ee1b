/** What a board pays, as it is shown. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { BUDGETS } from "../../../../boards/rv32/session/budgets.js";
import {
  boardTables,
  CYCLES_PER_INSTRUCTION,
  markdownOf,
  textOf,
} from "../../../../boards/rv32/session/tables.js";
import { boardFigures } from "./board.js";

const root = path.join(import.meta.dirname, "../../../..");
const text = (...args: Parameters<typeof boardFigures>) => textOf(boardTables(boardFigures(...args)));
const lineOf = (shown: string, start: string) =>
  shown.split("\n").find((line) => line.trimStart().startsWith(start));

describe("a budget", () => {
  const measured = (what: RegExp, ...args: Parameters<typeof boardFigures>) =>
    BUDGETS.find((budget) => what.test(budget.what))?.measure(boardFigures(...args));

  test("that is kept has no mark", () => expect(text("idle", { needed: 44_000 })).not.toContain("over by"));
  test("that is exceeded shows by how much", () =>
    expect(
      lineOf(text("status-http-in-turn", { instructions: 2_200_000 }), "a status request over HTTP"),
    ).toMatch(/ 220,000 +200,000 +over by 10\.0 %$/));
  test("for the flash counts the program's parts and the sandbox, without the host's", () =>
    expect(measured(/^flash/)).toBe(820_000));
  test("for the arena counts the step that needs the most", () =>
    expect(measured(/worst/, "boot", { needed: 99_000 })).toBe(99_000));
  test("for a verification counts what a wrong signature takes beyond a missing one", () =>
    expect(measured(/Ed25519/)).toBe(600_000));
  test("for a module counts what more bytes of module take beyond a rejected module", () =>
    expect(measured(/^100 more bytes/)).toBe(20_000));
});

describe("the tables", () => {
  test("show instructions of one request, and its time at both clocks", () =>
    expect(text("status-usb", { instructions: 1_600_000 })).toMatch(
      /^ {2}status-usb +request +160,000 +1\.500 ms +1\.000 ms$/m,
    ));
  test("show the cost of a signature and of a KiB of module, which no single step has", () => {
    expect(text()).toMatch(/^ {2}verify +signature +600,000 +5\.625 ms +3\.750 ms$/m);
    expect(text()).toMatch(/^ {2}module in an install +KiB +204,800 +1\.920 ms +1\.280 ms$/m);
  });
  test("show the memory of each step", () =>
    expect(lineOf(text(), "idle")).toMatch(/^ {2}idle +50,000 +30,000 +12,000 +4,000 +3,000 +20,000$/));
  test("show each part of the flash", () => expect(lineOf(text(), "host")).toMatch(/host +40,000$/));
  test("assume as many cycles per instruction as the board's clock", () => {
    const header = readFileSync(path.join(root, "boards/rv32/kernel/clock.h"), "utf8");
    const cyclesOfTwo = /CLOCK_CYCLES_PER_TWO_INSTRUCTIONS = ([0-9]+)/.exec(header)?.[1];
    expect(Number(cyclesOfTwo) / 2).toBe(CYCLES_PER_INSTRUCTION);
  });
  test("have the same number of cells in each line of a page", () => {
    for (const table of markdownOf(boardTables(boardFigures())).split("###").slice(1)) {
      const widths = table
        .split("\n")
        .filter((line) => line.startsWith("|"))
        .map((line) => line.split("|").length);
      expect(new Set(widths).size, table).toBe(1);
    }
  });
});
