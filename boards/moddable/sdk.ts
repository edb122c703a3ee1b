/** Finds the Moddable SDK of this machine and checks its version and tools. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Older versions have no `native()`, which our modules use. */
const OLDEST = "8.2";

/** Directories of the SDK's tools. */
const TOOLS = { linux: "build/bin/lin/release", darwin: "build/bin/mac/release" };

/** Its simulator, and the one chip of Espressif's that we build for with it. */
export const TARGETS = Object.freeze(["sim", "esp32s3"] as const);
export type Target = (typeof TARGETS)[number];

export interface Sdk {
  readonly root: string;
  readonly version: string;
  /** Directory of `mcconfig` and the other tools. */
  readonly tools: string;
}

/** A missing requirement that the user must install. */
export class SdkProblem extends Error {
  override name: string = "SdkProblem";
}

/** @throws {SdkProblem} that names the missing requirement */
export function findSdk(environment: NodeJS.ProcessEnv, target: Target): Sdk {
  if (!environment["MODDABLE"])
    throw new SdkProblem("MODDABLE is not set: it names the directory of the Moddable SDK");
  const root = path.resolve(environment["MODDABLE"]);
  const version = readVersion(root);
  if (!isAtLeast(version, OLDEST))
    throw new SdkProblem(`The Moddable SDK in "${root}" is ${version}: ${OLDEST} or newer is needed`);
  const tools = path.join(root, TOOLS[process.platform === "darwin" ? "darwin" : "linux"]);
  requireTools(tools, target === "sim" ? ["mcconfig", "mcsim"] : ["mcconfig"]);
  if (target === "sim" && process.platform !== "linux")
    throw new SdkProblem("The console runs in the Moddable simulator on Linux only");
  if (target !== "sim" && !environment["IDF_PATH"])
    throw new SdkProblem(
      "IDF_PATH is not set: it names the directory of ESP-IDF, which an ESP32-S3's firmware is built with",
    );
  return { root, version, tools };
}

function readVersion(root: string): string {
  const file = path.join(root, "tools/VERSION");
  if (!existsSync(file)) throw new SdkProblem(`There is no Moddable SDK in "${root}", which MODDABLE names`);
  return readFileSync(file, "utf8").trim();
}

/** @param oldest such as `8.2`; both have at least two numbers */
function isAtLeast(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function requireTools(directory: string, names: string[]): void {
  const missing = names.find((name) => !existsSync(path.join(directory, name)));
  if (missing)
    throw new SdkProblem(
      `The tools of the Moddable SDK are not built: there is no "${path.join(directory, missing)}"`,
    );
}
