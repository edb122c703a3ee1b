/** The engine's patches change how exceptions reach their `catch`: XS must do what Node does. */
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exceptionTrace } from "../../contracts/exceptions.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";
import { SEEDS } from "./exceptions-program.js";

const directory = temporaryDirectory();
let traces: readonly string[] = [];
beforeAll(async () => {
  const program = await buildProgram(path.join(import.meta.dirname, "exceptions-program.ts"), directory.path);
  traces = (await program.run({ state: path.join(directory.path, "state") })).lines;
});
afterAll(() => directory.remove());

test("exceptions take the same way through try, generators, async functions and callbacks as in Node", async () => {
  expect(traces).toHaveLength(SEEDS);
  for (const [seed, trace] of traces.entries())
    expect(trace, `seed ${seed}`).toBe(await exceptionTrace(seed));
});

test("the traces reach every construct", async () => {
  const all = traces.join("");
  for (const mark of ["t", "(", ")leaf", "x", "r", "R", "G", "z", "a", "A", "!", "e", "f3"])
    expect(all, mark).toContain(mark);
});
