/** What the meters of a board on RV32 tell, from lines to one set of figures. */
import { describe, expect, test } from "vitest";
import { mergeFigures, readFigures, type StepFigures } from "../../../../boards/rv32/session/figures.js";
import type { Step } from "../../../../boards/rv32/session/script.js";

const STEP: Step = { name: "status", count: 1000, unit: "request", units: 2, commands: [] };

const figures = (step: string, count: number, fields: Partial<StepFigures> = {}): StepFigures => ({
  ...{ step, count, instructions: 1, live: 2, slots: 3, chunks: 4, stack: 5 },
  ...{ peak: 6, peakSlots: 7, peakChunks: 8, cStack: 9, heap: 10 },
  ...fields,
});
const run = (fields: Partial<StepFigures> = {}) => [figures("boot", 1), figures("status", 1000, fields)];
const merged = (plain: Partial<StepFigures>, watched: Partial<StepFigures>) =>
  mergeFigures([STEP], run(plain), run(watched))[1];

test("lines are read as they were told", () => {
  const told = run({ instructions: 2 ** 40 });
  expect(readFigures(told.map((line) => `${JSON.stringify(line)}\n`).join(""))).toEqual(told);
});

describe("a line that does not tell all of it is refused", () => {
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
    test(line || "an empty one", () => expect(() => readFigures(line)).toThrow(/^Cannot read the figures/));
});

describe("of two runs", () => {
  test("instructions, C stack and C heap are those of the one that is as a board is", () =>
    expect(merged({ instructions: 100, cStack: 200, heap: 300 }, { instructions: 1 })).toMatchObject({
      ...{ instructions: 100, cStack: 200, heap: 300 },
    }));
  test("what the arena needed is that of the one that collects all the time", () =>
    expect(merged({ peak: 1 }, { peak: 100, peakSlots: 60, peakChunks: 30, stack: 8 })).toMatchObject({
      ...{ needed: 100, slots: 60, chunks: 30, stack: 8 },
    }));
  test("what is there at the end is needed where nothing was collected", () =>
    expect(merged({}, { live: 50, slots: 40, chunks: 5, peak: 0, peakSlots: 0 })).toMatchObject({
      ...{ needed: 50, slots: 40, chunks: 5 },
    }));
  test("one that was to collect and has not is refused", () => {
    const never = run().map((line) => ({ ...line, peak: 0 }));
    expect(() => mergeFigures([STEP], run(), never)).toThrow(/has never collected/);
  });
  test("units are those of every time", () => expect(merged({}, {})).toMatchObject({ units: 2000 }));
  test("a module's length is shown", () =>
    expect(mergeFigures([{ ...STEP, bytes: 77 }], run(), run())[1]).toMatchObject({ bytes: 77 }));
  test("steps that were not played are refused", () => {
    const other = [figures("boot", 1), figures("status", 999)];
    expect(() => mergeFigures([STEP], run(), other)).toThrow(/status 999/);
    expect(() => mergeFigures([STEP], [figures("boot", 1)], run())).toThrow(/what was played is/);
  });
});
