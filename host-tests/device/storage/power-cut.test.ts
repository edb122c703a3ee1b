import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  buildProgram,
  POWER_CUT_STATUS,
  type Program,
  temporaryDirectory,
} from "../../hosts/simulator-program.js";

interface Report {
  readonly file?: string;
  readonly value?: string;
  readonly isRetained: boolean;
  readonly resetReason: string;
}

const OLD_FILE = "old content of the file";
const NEW_FILE = "NEW CONTENT OF THE FILE";
/** The unflushed data that a cut loses depends on the seed. */
const SEEDS = [1, 2, 3];

const directory = temporaryDirectory();
const prepared = path.join(directory.path, "prepared");
let program: Program;
let states = 0;

const phase = (name: string) => ["--config", `PHASE=${name}`];

/** A new state directory with the old file and value. */
function preparedState(): string {
  const state = path.join(directory.path, `state-${states++}`);
  cpSync(prepared, state, { recursive: true });
  return state;
}

async function report(state: string): Promise<Report> {
  const { lines } = await program.run({ state, flags: phase("report") });
  return JSON.parse(lines[0] ?? "");
}

async function countOperations(name: string): Promise<number> {
  const countFile = path.join(directory.path, "count");
  const environment = { SVC_SIM_STORAGE_COUNT: countFile };
  await program.run({ state: preparedState(), flags: phase(name), environment });
  return Number(readFileSync(countFile, "utf8"));
}

/** The state that is left after power was cut at that operation of that phase. */
async function cutAt(name: string, operation: number, seed: number): Promise<Report> {
  const state = preparedState();
  const environment = { SVC_SIM_POWER_CUT: String(operation), SVC_SIM_POWER_SEED: String(seed) };
  const { status, lines } = await program.run({ state, flags: phase(name), environment });
  expect(status, lines.join("\n")).toBe(POWER_CUT_STATUS);
  return report(state);
}

/** Cuts power at each operation with each seed. @returns the state after each cut */
async function cutAtEach(name: string, operations: number): Promise<Report[]> {
  const reports: Report[] = [];
  for (let operation = 1; operation <= operations; operation++)
    for (const seed of SEEDS) reports.push(await cutAt(name, operation, seed));
  return reports;
}

const distinct = (values: readonly (string | undefined)[]) => [...new Set(values)].sort();

beforeAll(async () => {
  program = await buildProgram(path.join(import.meta.dirname, "power-program.ts"), directory.path);
  await program.run({ state: prepared, flags: phase("prepare") });
});
afterAll(() => directory.remove());

test("Without a power cut, file and value are replaced, and retained memory survives", async () => {
  const state = preparedState();
  expect(await report(state)).toMatchObject({ file: OLD_FILE, value: "old value", isRetained: true });
  await program.run({ state, flags: phase("replace file") });
  await program.run({ state, flags: phase("replace value") });
  expect(await report(state)).toMatchObject({ file: NEW_FILE, value: "new value", isRetained: true });
});

test("A replaced file is old or new after a power cut at any operation", async () => {
  const operations = await countOperations("replace file");
  expect(operations).toBe(5);
  const reports = await cutAtEach("replace file", operations);
  for (const { file, value } of reports) {
    expect([OLD_FILE, NEW_FILE]).toContain(file);
    expect(value).toBe("old value");
  }
});

test("A file moved without a flush is torn by some power cut", async () => {
  const operations = await countOperations("replace file carelessly");
  const reports = await cutAtEach("replace file carelessly", operations);
  const torn = reports.filter(({ file }) => file !== OLD_FILE && file !== NEW_FILE);
  expect(torn.length).toBeGreaterThan(0);
});

test("A value is the old one after a power cut at any operation of a write", async () => {
  const operations = await countOperations("replace value");
  expect(operations).toBe(4);
  const reports = await cutAtEach("replace value", operations);
  expect(distinct(reports.map(({ value }) => value))).toEqual(["old value"]);
  for (const { file } of reports) expect(file).toBe(OLD_FILE);
});

test("Deleting a file and a value is done one after the other at a power cut", async () => {
  const operations = await countOperations("delete everything");
  expect(operations).toBe(2);
  expect(await cutAt("delete everything", 1, 1)).toMatchObject({ file: OLD_FILE, value: "old value" });
  const second = await cutAt("delete everything", 2, 1);
  expect(second.file).toBeUndefined();
  expect(second.value).toBe("old value");
});

test("A power cut counts as power_on, and clears retained memory", async () => {
  expect(await cutAt("replace value", 1, 1)).toMatchObject({ resetReason: "power_on", isRetained: false });
});

test("A power cut planned after the last operation does not happen", async () => {
  const state = preparedState();
  const environment = { SVC_SIM_POWER_CUT: "6" };
  const { status } = await program.run({ state, flags: phase("replace file"), environment });
  expect(status, "ended by the test").toBeUndefined();
  expect((await report(state)).file).toBe(NEW_FILE);
});

test("SVC_SIM_POWER_CUT with an invalid number is rejected with status 2", async () => {
  for (const value of ["x", "-1", "1x", "1.5"]) {
    const environment = { SVC_SIM_POWER_CUT: value };
    const { status, lines } = await program.run({
      state: preparedState(),
      flags: phase("replace value"),
      environment,
    });
    expect(status).toBe(2);
    expect(lines.join()).toContain(`SVC_SIM_POWER_CUT="${value}" is not a number`);
  }
});
