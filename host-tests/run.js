/**
 * `npm test`: makes sure that what the tests need is there, checks types and form, runs every test, the
 * ones on the simulated console a second time with the sanitizers, names what failed once more, since that
 * may be thousands of lines further up, and ends with one line that counts. Exit status 0 when nothing failed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { missingPackages } from "../rv32/builder/toolchain.js";
import { buildSession } from "../rv32/session/measure.js";
import { buildSimulator } from "../simulator/build.js";
import { hasMultilib, installSystemPackages } from "../simulator/system-packages.js";

const root = join(import.meta.dirname, "..");
const results = join(root, "build", "test-results.json");

/**
 * What runs once more with the sanitizers, which make it take three times as long: whatever hands bytes of others to
 * our C. Policy is TypeScript, and what only that decides is left out.
 */
const SANITIZED = [
  "device/api/conformance",
  "device/apps/hostile-ends",
  "device/apps/install.test",
  "device/display",
  "device/drives",
  "device/firmware/boot/contract",
  "device/firmware/boot/damage",
  "device/firmware/update",
  "device/guest",
  "device/http",
  "device/hub/secure",
  "device/native/resolver",
  "device/native/tcp",
  "device/native/timers",
  "device/native/udp",
  "device/native/usb",
  "device/package",
  "device/storage/bytes",
  "device/storage/contracts",
  "device/storage/outside",
  "device/tls",
  "device/usb/usb",
  "device/websocket",
];

/** @typedef {{ passed: number, failed: string[], skipped: number }} Outcome what failed is told in a line or two each */

/** @param {string} name @param {string[]} args @param {NodeJS.ProcessEnv} [environment] */
function run(name, args, environment = {}) {
  const tool = join(root, "node_modules", ".bin", name);
  const env = { ...process.env, ...environment };
  return spawnSync(tool, args, { cwd: root, stdio: "inherit", env }).status === 0;
}

/** @param {string} name @param {string[]} args @returns {Outcome} */
function check(name, args) {
  const isFine = run(name, args);
  return { passed: isFine ? 1 : 0, failed: isFine ? [] : [`${name} ${args.join(" ")}`], skipped: 0 };
}

/** A run that fails without a failed test, or leaves no results, counts as one failure. */
function vitest(/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ environment) {
  rmSync(results, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const isFine = run("vitest", ["run", ...reporters, ...args], environment);
  const outcome = readOutcome();
  if (!isFine && outcome.failed.length === 0)
    outcome.failed.push(`vitest ${args.join(" ")}: an error outside of tests`);
  return outcome;
}

/** @returns {Outcome} */
function readOutcome() {
  try {
    const { numPassedTests, numPendingTests, testResults } = JSON.parse(readFileSync(results, "utf8"));
    return { passed: numPassedTests, failed: testResults.flatMap(failuresOf), skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: ["vitest ended before there was a result"], skipped: 0 };
  }
}

/**
 * What failed in one file of tests; a file that failed in a hook, or could not be loaded, is a failure of its own.
 * @param {import("vitest/reporters").JsonTestResults["testResults"][number]} file
 */
function failuresOf({ name, status, message, assertionResults }) {
  const at = relative(root, name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (status === "failed" && failed.length === 0)
    return [`${at}, in a hook or as it was loaded\n    ${firstLine(message)}`];
  return failed.map((test) => `${at}: ${test.fullName}\n    ${firstLine(test.failureMessages?.[0])}`);
}

const firstLine = (/** @type {string | undefined} */ text) => (text ?? "").split("\n", 1)[0];

installSystemPackages("test");
mkdirSync(join(root, "build"), { recursive: true });
await buildSimulator({ variant: "release" });
await buildSimulator({ variant: "asan" });
if (hasMultilib()) await buildSimulator({ variant: "m32" }); // for the tests of a board's heap

if (missingPackages().length === 0) await buildSession(); // the console on RV32

const all = [
  check("tsc", ["--noEmit"]),
  check("tsc", ["--noEmit", "--project", "console"]),
  check("tsc", ["--noEmit", "--project", "host-tests/browser"]),
  check("tsc", ["--noEmit", "--project", "host-tests/unit/console"]),
  check("biome", ["check", "."]),
  vitest([], { SVC_SIM_VARIANT: "release" }),
  vitest(["--project", "device", ...SANITIZED], { SVC_SIM_VARIANT: "asan" }),
];
const failed = all.flatMap((outcome) => outcome.failed);
const total = (/** @type {"passed" | "skipped"} */ of) => all.reduce((sum, outcome) => sum + outcome[of], 0);
for (const line of failed) console.log(`failed: ${line}`);
console.log(`${total("passed")} passed, ${failed.length} failed, ${total("skipped")} skipped`);
process.exitCode = failed.length === 0 ? 0 : 1;
