/** The engine's patches change how JSON, views and properties come about: XS must do what Node does. */
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { valueLines } from "../../contracts/values.js";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";

const directory = temporaryDirectory();
let lines: readonly string[] = [];
beforeAll(async () => {
  const program = await buildProgram(path.join(import.meta.dirname, "values-program.ts"), directory.path);
  lines = (await program.run({ state: path.join(directory.path, "state") })).lines;
});
afterAll(() => directory.remove());

test("JSON, integers as text, views, species and inherited properties are those of Node", () => {
  const expected = [...valueLines()];
  expect(expected.length).toBeGreaterThan(3000);
  expect(lines.filter((line, index) => line !== expected[index])).toEqual([]);
  expect(lines).toHaveLength(expected.length);
});
