/**
 * `npm test`: makes sure that what the tests need is there, checks types and form, runs every test, and
 * ends with one line that counts them. Exit status 0 when nothing failed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildSimulator } from "../simulator/build.js";
import { installSystemPackages } from "../simulator/system-packages.js";

const root = join(import.meta.dirname, "..");
const results = join(root, "build", "test-results.json");

/** @param {string} name @param {string[]} args */
function run(name, args) {
  const tool = join(root, "node_modules", ".bin", name);
  return spawnSync(tool, args, { cwd: root, stdio: "inherit" }).status === 0;
}

/** @returns {{ passed: number, failed: number, skipped: number }} */
function counts() {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(results, "utf8"));
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
}

installSystemPackages("test");
mkdirSync(join(root, "build"), { recursive: true });
rmSync(results, { force: true });
await buildSimulator({ variant: "release" });
await buildSimulator({ variant: "asan" });

const checks = { types: run("tsc", ["--noEmit"]), form: run("biome", ["check", "."]) };
const areTestsFine = run("vitest", [
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile=${results}`,
]);

const { passed, failed, skipped } = counts();
const failedChecks = Object.values(checks).filter((isFine) => !isFine).length;
for (const [name, isFine] of Object.entries(checks))
  if (!isFine) console.error(`The check of ${name} failed.`);
const allFailed = failed + failedChecks + (areTestsFine || failed > 0 ? 0 : 1);
console.log(`${passed + 2 - failedChecks} passed, ${allFailed} failed, ${skipped} skipped`);
process.exitCode = allFailed === 0 ? 0 : 1;
