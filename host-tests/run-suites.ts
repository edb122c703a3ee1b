/**
 * Runs test files of the projects `device` and `native-images` on the console that the environment names, and counts what
 * they came to.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");

/** What tests came to. */
export type Outcome = { passed: number; failed: number; skipped: number; isFine: boolean };

type Counts = Partial<Record<"numPassedTests" | "numFailedTests" | "numPendingTests", number>>;

/**
 * @param wanted.results file for the results, which is replaced
 * @param wanted.flags further flags of Vitest
 */
export function runSuites({
  suites,
  environment,
  results,
  flags = [],
}: {
  readonly suites: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly results: string;
  readonly flags?: readonly string[];
}): Outcome {
  rmSync(results, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const vitest = path.join(root, "node_modules/.bin/vitest");
  const projects = ["--project", "device", "--project", "native-images"];
  const { status } = spawnSync(vitest, ["run", ...reporters, ...flags, ...projects, ...suites], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, SVC_TEST_SCOPE: "", ...environment }, // of all suites, whichever run this one is a part of
  });
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = readJson<Counts>(results) ?? {};
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests, isFine: status === 0 };
}

/** @returns `undefined` where a run has ended before it wrote the file */
export function readJson<Content>(file: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
