/**
 * `npm run test:moddable`: builds the console for the Moddable SDK's simulator, runs it where nobody sees it, and has it
 * pass the tests that our own simulator passes (suites.js). Exit status 0 when nothing failed, and where there is no
 * SDK, unless `SVC_TEST_REQUIRE` names `moddable`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openDisplay } from "../../moddable/display.js";
import { findSdk, statusWithoutSdk } from "./sdk.js";
import { SUITES } from "./suites.js";

const root = path.join(import.meta.dirname, "../..");
const directory = path.join(root, "build/moddable/tests");
const results = path.join(directory, "results.json");

/** Of the image of firmware, before the library that the simulator loads (simulator/builder/image.js). */
const HEADER_BYTES = 128;

/** @returns {string | undefined} the library that the simulator loads, where it can be built */
function build() {
  const { status, stdout } = spawnSync("npm", ["run", "--silent", "moddable", "--", "sim"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  const image = stdout.trimEnd().split("\n").at(-1);
  if (status !== 0 || !image) return undefined;
  const library = path.join(directory, "mc.so");
  writeFileSync(library, readFileSync(path.resolve(root, image)).subarray(HEADER_BYTES));
  return library;
}

/** @param {NodeJS.ProcessEnv} environment @returns {boolean} whether every test passed */
function test(environment) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${results}`];
  const vitest = path.join(root, "node_modules/.bin/vitest");
  const suites = process.argv.length > 2 ? process.argv.slice(2) : SUITES;
  const { status } = spawnSync(vitest, ["run", ...reporters, "--project", "device", ...suites], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  return status === 0;
}

/** @returns {string} one line that counts the tests */
function summary() {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(results, "utf8"));
  return `${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`;
}

/** @returns {Promise<number>} exit status */
async function main() {
  const sdk = findSdk(process.env);
  if (typeof sdk === "string") {
    console.log(`test:moddable is skipped: ${sdk}.`);
    return statusWithoutSdk(process.env);
  }
  console.log(`Moddable SDK ${sdk.version}`);
  mkdirSync(directory, { recursive: true });
  const library = build();
  if (library === undefined) {
    console.error("The console cannot be built for the Moddable simulator");
    return 1;
  }
  const display = await openDisplay();
  try {
    const isFine = test({
      SVC_TEST_HOST: "moddable",
      SVC_TEST_MCSIM: sdk.simulator,
      SVC_TEST_MODDABLE_LIBRARY: library,
      DISPLAY: display.name,
    });
    console.log(`Moddable SDK ${sdk.version}: ${summary()}`);
    return isFine ? 0 : 1;
  } finally {
    display.close();
  }
}

process.exitCode = await main();
