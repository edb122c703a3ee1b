/** The Moddable SDK of this machine, as far as the tests need it. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * @typedef {object} Sdk
 * @property {string} version
 * @property {string} simulator path of its executable
 */

/**
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Sdk | string} or why there is none to test with
 */
export function findSdk({ MODDABLE: root }) {
  if (!root) return "MODDABLE is not set, so there is no Moddable SDK";
  const versionFile = path.join(root, "tools/VERSION");
  if (!existsSync(versionFile)) return `MODDABLE is "${root}", where there is no Moddable SDK`;
  const simulator = path.join(root, "build/bin/lin/release/mcsim");
  if (!existsSync(simulator)) return `The Moddable SDK in "${root}" is not built: there is no "${simulator}"`;
  return { version: readFileSync(versionFile, "utf8").trim(), simulator };
}

/**
 * What is to happen where there is no SDK.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {0 | 1} exit status
 */
export function statusWithoutSdk({ SVC_TEST_REQUIRE: required = "" }) {
  return required.split(",").includes("moddable") ? 1 : 0;
}
