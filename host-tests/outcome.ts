/** The outcome of a test run: its counts, and a line or two for each failure. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { JsonTestResults } from "vitest/reporters";

const root = join(import.meta.dirname, "..");
const results = join(root, "build", "test-results.json");

/** The outcome of the last run, for a following run that adds to it. */
const last = join(root, "build", "test-outcome.json");

export type Outcome = { passed: number; failed: string[]; skipped: number };

function run(name: string, args: string[], environment: NodeJS.ProcessEnv = {}): boolean {
  const tool = join(root, "node_modules", ".bin", name);
  const env = { ...process.env, ...environment };
  return spawnSync(tool, args, { cwd: root, stdio: "inherit", env }).status === 0;
}

/** Runs a tool; an exit status other than 0 counts as one failure. */
export function check(name: string, args: string[]): Outcome {
  const isFine = run(name, args);
  return { passed: isFine ? 1 : 0, failed: isFine ? [] : [`${name} ${args.join(" ")}`], skipped: 0 };
}

/** A run that fails without a failed test, or leaves no results, counts as one failure. */
export function vitest(
  args: string[],
  { tier, variant }: { tier: "quick" | "sample" | "nightly"; variant: "release" | "asan" | "trampoline" },
): Outcome {
  mkdirSync(join(root, "build"), { recursive: true });
  rmSync(results, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const environment = { SVC_TEST_TIER: tier, SVC_SIM_VARIANT: variant };
  const isFine = run("vitest", ["run", ...reporters, ...args], environment);
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
