/**
 * Cuts power at every operation of an update and of a rollback, and again at every operation of the recovery after each
 * cut, in a sample after some cuts (docs/spec/boot-and-slots.md#record-copies).
 */
import { cpSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  buildProgram,
  POWER_CUT_STATUS,
  type Program,
  temporaryDirectory,
} from "../../../hosts/simulator-program.js";
import { inTier } from "../../../tier.js";
import { provide } from "./boot-firmware.js";
import type { LifeReport } from "./life.js";

/** The unflushed data that a cut loses depends on the seed. */
const SEEDS = [1, 2];
const LIMIT_MS = 1_200_000;

/** After each n-th cut, power is cut again at each operation of the recovery. */
const DEEP_STEP = inTier({ quick: 8, sample: 8, nightly: 1 });

const directory = temporaryDirectory();
const prepared = path.join(directory.path, "prepared");
let program: Program;
let states = 0;

beforeAll(async () => {
  const [old, next] = await Promise.all(
    ["old-program.ts", "new-program.ts"].map((entry) =>
      buildProgram(path.join(import.meta.dirname, entry), directory.path),
    ),
  );
  if (!old || !next) throw new Error("There are no programs");
  program = old;
  provide(prepared, readFileSync(next.image));
  await program.run({ state: prepared, flags: ["--config", "PHASE=report"] });
});
afterAll(() => directory.remove());

/** Copies a state directory; the test removes the copy. */
function copyOf(state: string): string {
  const copy = path.join(directory.path, `state-${states++}`);
  cpSync(state, copy, { recursive: true });
  return copy;
}

interface Cut {
  readonly operation: number;
  readonly seed: number;
}

/** Runs a phase from the slots. @returns whether power was cut before the end */
async function live(state: string, phase: string, cut?: Cut): Promise<boolean> {
  const environment = cut && {
    SVC_SIM_POWER_CUT: String(cut.operation),
    SVC_SIM_POWER_SEED: String(cut.seed),
  };
  const flags = ["--config", `PHASE=${phase}`];
  const { status, lines } = await program.run({
    state,
    isFlashed: false,
    flags,
    ...(environment && { environment }),
  });
  if (status !== undefined) expect(status, lines.join("\n")).toBe(POWER_CUT_STATUS);
  return status !== undefined;
}

async function report(state: string): Promise<LifeReport> {
  const { lines } = await program.run({ state, isFlashed: false, flags: ["--config", "PHASE=report"] });
  return JSON.parse(lines[0] ?? "");
}

const summary = ({ name, running, resetReason, record }: LifeReport) =>
  `${name} ${running} ${resetReason} ${record.phase} ${record.phase === "settled" ? (record.lastEnd ?? "-") : "-"}`;

/** Removes repeated lines. */
const changes = (lines: readonly string[]) => lines.filter((line, index) => line !== lines[index - 1]);

async function countOperations(phase: string): Promise<number> {
  const state = copyOf(prepared);
  const environment = { SVC_SIM_STORAGE_COUNT: path.join(state, "count") };
  await program.run({ state, isFlashed: false, flags: ["--config", `PHASE=${phase}`], environment });
  return Number(readFileSync(path.join(state, "count"), "utf8"));
}

interface PowerCutCase {
  readonly phase: string;
  /**
   * Firmware that boots after the cuts, in the order of the operations, whatever the seed. A change takes effect once
   * the first copy of the record contains it.
   */
  readonly found: readonly string[];
}

const TRIAL = "new b update trial -";
const LOST = "old a rollback settled power_loss";

const POWER_CUT_CASES: readonly PowerCutCase[] = [
  {
    phase: "update",
    found: ["old a power_on settled -", TRIAL, LOST, "new b power_on settled confirmed"],
  },
  {
    phase: "rollback",
    found: [
      "old a power_on settled -",
      TRIAL,
      LOST,
      "old a power_on settled reboot",
      TRIAL,
      "old a power_on settled -",
    ],
  },
];

for (const { phase, found } of POWER_CUT_CASES)
  test(
    `a power cut at any operation of the ${phase} leaves old or new firmware, and the next update succeeds`,
    async () => {
      const operations = await countOperations(phase);
      const reports: string[] = [];
      for (let operation = 1; operation <= operations; operation++) {
        const seen = await Promise.all(SEEDS.map((seed) => cutAndRecover(phase, { operation, seed })));
        expect(new Set(seen).size, `one outcome at operation ${operation}: ${seen.join("; ")}`).toBe(1);
        reports.push(...seen);
      }
      expect(changes(reports)).toEqual(found);
      console.log(`${operations * SEEDS.length} power cuts tried in the ${phase}`);
    },
    LIMIT_MS,
  );

/** Cuts power, and expects that the next update succeeds. @returns what boots after the cut */
async function cutAndRecover(phase: string, cut: Cut): Promise<string> {
  const state = copyOf(prepared);
  expect(await live(state, phase, cut), `operation ${cut.operation} is cut`).toBe(true);
  if (cut.seed === SEEDS[0] && cut.operation % DEEP_STEP === 0) await recoverCutAgain(state, cut.seed);
  const result = summary(await report(state));
  await updateAndCheck(state);
  rmSync(state, { recursive: true });
  return result;
}

/** Cuts power at each operation of the recovery too. */
async function recoverCutAgain(state: string, seed: number): Promise<void> {
  for (let operation = 1; ; operation++) {
    const copy = copyOf(state);
    const isCut = await live(copy, "report", { operation, seed });
    if (isCut) await updateAndCheck(copy);
    rmSync(copy, { recursive: true });
    if (!isCut) return;
  }
}

async function updateAndCheck(state: string): Promise<void> {
  expect(await live(state, "update")).toBe(false);
  const { name, record } = await report(state);
  expect([name, record.phase]).toEqual(["new", "settled"]);
}
