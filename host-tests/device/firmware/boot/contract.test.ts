import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FIRMWARE_SLOTS_CONTRACT, FIRMWARE_TRIAL_CONTRACT } from "../../../contracts/firmware-slots.js";
import { buildProgram, temporaryDirectory } from "../../../hosts/simulator-program.js";
import { provide } from "./boot-firmware.js";

/** The suites that contract-program.ts runs, by their names in its reports. */
const SUITES = { settled: FIRMWARE_SLOTS_CONTRACT, trial: FIRMWARE_TRIAL_CONTRACT };

interface Report {
  readonly suite: string;
  readonly name: string;
  readonly problem?: string;
}

const directory = temporaryDirectory();
let reports: readonly Report[] = [];

beforeAll(async () => {
  const program = await buildProgram(path.join(import.meta.dirname, "contract-program.ts"), directory.path);
  const state = path.join(directory.path, "state");
  provide(state, readFileSync(program.image));
  const { lines } = await program.run({ state });
  reports = lines.map((line) => (line.startsWith("{") ? JSON.parse(line) : { problem: line }));
});
afterAll(() => directory.remove());

for (const [suite, cases] of Object.entries(SUITES))
  describe(`On the simulator, firmware slots, ${suite}`, () => {
    for (const { name } of cases)
      test(name, () => {
        const report = reports.find((candidate) => candidate.suite === suite && candidate.name === name);
        expect(report, "is reported").toBeDefined();
        expect(report?.problem).toBeUndefined();
      });
  });

test("The contract program reports its cases and nothing else", () => {
  expect(reports).toHaveLength(FIRMWARE_SLOTS_CONTRACT.length + FIRMWARE_TRIAL_CONTRACT.length);
});
