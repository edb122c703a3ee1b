/** Figures of a board on RV32, from its output lines to one merged set. */
import { describe, expect, test } from "vitest";
import { mergeFigures, readFigures, type StepFigures } from "../../../../boards/rv32/session/figures.js";
import type { Step } from "../../../../boards/rv32/session/script.js";

const STEP: Step = { name: "status", count: 1000, unit: "request", units: 2, commands: [] };

const figures = (step: string, count: number, fields: Partial<StepFigures> = {}): StepFigures => ({
  step,
  count,
  instructions: 1,
  live: 2,
  slots: 3,
  chunks: 4,
  stack: 5,
  peak: 6,
  peakSlots: 7,
  peakChunks: 8,
  cStack: 9,
  heap: 10,
  ...fields,
});
const STARTS = [figures("first-picture", 1), figures("boot", 1)];
const run = (fields: Partial<StepFigures> = {}) => [...STARTS, figures("status", 1000, fields)];
const merged = (plain: Partial<StepFigures>, watched: Partial<StepFigures>) =>
  mergeFigures([STEP], run(plain), run(watched))[2];

test("readFigures returns the figures as written", () => {
  const told = run({ instructions: 2 ** 40 });
  expect(readFigures(told.map((line) => `${JSON.stringify(line)}\n`).join(""))).toEqual(told);
});

describe("readFigures rejects an incomplete line", () => {
  const { heap: _, ...without } = figures("boot", 1);
  const LINES = [
    "",
    "{",
    "null",
    JSON.stringify(without),
    JSON.stringify({ ...figures("boot", 1), step: 1 }),
    JSON.stringify({ ...figures("boot", 1), instructions: -1 }),
    JSON.stringify({ ...figures("boot", 1), cStack: "9" }),
  ];
  for (const line of LINES)
    test(line || "an empty line", () => expect(() => readFigures(line)).toThrow(/^Cannot read the figures/));
});

describe("mergeFigures", () => {
  test("takes instructions, C stack and C heap from the plain run", () =>
    expect(merged({ instructions: 100, cStack: 200, heap: 300 }, { instructions: 1 })).toMatchObject({
      instructions: 100,
      cStack: 200,
      heap: 300,
    }));
  test("takes the arena's peak from the run that collects all the time", () =>
    expect(merged({ peak: 1 }, { peak: 100, peakSlots: 60, peakChunks: 30, stack: 8 })).toMatchObject({
      needed: 100,
      slots: 60,
      chunks: 30,
      stack: 8,
    }));
  test("takes the arena's final use where nothing was collected", () =>
    expect(merged({}, { live: 50, slots: 40, chunks: 5, peak: 0, peakSlots: 0 })).toMatchObject({
      needed: 50,
      slots: 40,
      chunks: 5,
    }));
  test("rejects a collecting run that never collected", () => {
    const never = run().map((line) => ({ ...line, peak: 0 }));
    expect(() => mergeFigures([STEP], run(), never)).toThrow(/has never collected/);
  });
  test("multiplies units by the repetitions of the step", () =>
    expect(merged({}, {})).toMatchObject({ units: 2000 }));
  test("keeps the length of a module", () =>
    expect(mergeFigures([{ ...STEP, bytes: 77 }], run(), run())[2]).toMatchObject({ bytes: 77 }));
  test("rejects runs of other steps", () => {
    const other = [...STARTS, figures("status", 999)];
    expect(() => mergeFigures([STEP], run(), other)).toThrow(/status 999/);
    expect(() => mergeFigures([STEP], STARTS, run())).toThrow(/what was played is/);
  });
});
