/** The outcome of a test run: its counts, and a line or two for each failure. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { JsonTestResults } from "vitest/reporters";

const root = join(import.meta.dirname, "..");
const results = join(root, "build", "test-results.json");

/** The outcome of the last run, for a following run that adds to it. */
const last = join(root, "build", "test-outcome.json");

export type Outcome = { passed: number; failed: string[]; skipped: number };

async function run(name: string, args: string[], environment: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const tool = join(root, "node_modules", ".bin", name);
  const env = { ...process.env, ...environment };
  const [status] = await once(spawn(tool, args, { cwd: root, stdio: "inherit", env }), "close");
  return status === 0;
}

/** Checks types, format and dead exports; each tool that exits with another status than 0 counts as one failure. */
export async function checkCode(): Promise<Outcome[]> {
  const outcomes = [];
  for (const [name, ...args] of CHECKS)
    outcomes.push(single(await run(name, args), `${name} ${args.join(" ")}`));
  return outcomes;
}

const CHECKS: readonly (readonly [string, ...string[]])[] = [
  ["tsc", "--noEmit"],
  ["tsc", "--noEmit", "--project", "web"],
  ["tsc", "--noEmit", "--project", "host-tests/browser"],
  ["tsc", "--noEmit", "--project", "host-tests/unit/web"],
  ["biome", "check", "."],
  ["knip"],
];

/** @returns the outcome of a task, which counts as one failure if it throws */
export async function outcomeOf(what: string, task: Promise<unknown>): Promise<Outcome> {
  try {
    await task;
    return single(true, what);
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    process.stderr.write(`${stderr || (error instanceof Error ? error.stack : error)}\n`);
    return single(false, what);
  }
}

function single(isFine: boolean, what: string): Outcome {
  return { passed: isFine ? 1 : 0, failed: isFine ? [] : [what], skipped: 0 };
}

export interface VitestOptions {
  readonly tier: "quick" | "all" | "sample" | "nightly";
  readonly variant: "release" | "asan" | "trampoline";
  /** Of quick-suites.ts: the quick suites, or all others; every suite where it is missing. */
  readonly scope?: "quick" | "others";
}

/** A run that fails without a failed test, or leaves no results, counts as one failure. */
export async function vitest(args: string[], { tier, variant, scope }: VitestOptions): Promise<Outcome> {
  mkdirSync(join(root, "build"), { recursive: true });
  rmSync(results, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const environment = { SVC_TEST_TIER: tier, SVC_TEST_SCOPE: scope ?? "", SVC_SIM_VARIANT: variant };
  const isFine = await run("vitest", ["run", ...reporters, ...args], environment);
  const outcome = readResults();
  if (!isFine && outcome.failed.length === 0)
    outcome.failed.push(`vitest ${args.join(" ")}: an error outside of tests`);
  return outcome;
}

function readResults(): Outcome {
  try {
    const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(results, "utf8"));
    return { passed: numPassedTests, failed: testResults.flatMap(failuresOf), skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: ["vitest ended before there was a result"], skipped: 0 };
  }
}

/** The failures of one test file; a file that fails in a hook, or cannot be loaded, counts as one failure. */
function failuresOf({
  name,
  status,
  message,
  assertionResults,
}: JsonTestResults["testResults"][number]): string[] {
  const at = relative(root, name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (status === "failed" && failed.length === 0)
    return [`${at}, in a hook or as it was loaded\n    ${firstLine(message)}`];
  return failed.map((test) => `${at}: ${test.fullName}\n    ${firstLine(test.failureMessages?.[0])}`);
}

const firstLine = (text: string | undefined) => (text ?? "").split("\n", 1)[0];

/** The outcome of the previous run. */
export function lastOutcome(): Outcome {
  return JSON.parse(readFileSync(last, "utf8"));
}

/**
 * Prints each failure and the counts, sets the exit status, and stores the outcome for the next run.
 */
export function conclude(all: Outcome[]): void {
  const failed = all.flatMap((outcome) => outcome.failed);
  const total = (of: "passed" | "skipped") => all.reduce((sum, outcome) => sum + outcome[of], 0);
  const outcome = { passed: total("passed"), failed, skipped: total("skipped") };
  writeFileSync(last, JSON.stringify(outcome));
  for (const line of failed) console.log(`failed: ${line}`);
  console.log(`${outcome.passed} passed, ${failed.length} failed, ${outcome.skipped} skipped`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
