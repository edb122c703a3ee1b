/**
 * `npm test`: makes sure that what the tests need is there, checks types and form, runs every test, the
 * ones on the simulated console a second time with the sanitizers, and ends with one line that counts
 * them. Exit status 0 when nothing failed.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
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

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @param {string} name @param {string[]} args @param {NodeJS.ProcessEnv} [environment] */
function run(name, args, environment = {}) {
  const tool = join(root, "node_modules", ".bin", name);
  const env = { ...process.env, ...environment };
  return spawnSync(tool, args, { cwd: root, stdio: "inherit", env }).status === 0;
}

/** @param {string} name @param {string[]} args @returns {Counts} */
function check(name, args) {
  const isFine = run(name, args);
  if (!isFine) console.error(`${name} ${args.join(" ")} failed`);
  return { passed: isFine ? 1 : 0, failed: isFine ? 0 : 1, skipped: 0 };
}

/** A run that fails without a failed test, or leaves no results, counts as one failure. */
function vitest(/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ environment) {
  rmSync(results, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const isFine = run("vitest", ["run", ...reporters, ...args], environment);
  const counts = readCounts();
  return { ...counts, failed: counts.failed || (isFine ? 0 : 1) };
}

/** @returns {Counts} */
function readCounts() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(results, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // it ended before there was a result
  }
}

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
const total = (/** @type {keyof Counts} */ of) => all.reduce((sum, counts) => sum + counts[of], 0);
console.log(`${total("passed")} passed, ${total("failed")} failed, ${total("skipped")} skipped`);
process.exitCode = total("failed") === 0 ? 0 : 1;
