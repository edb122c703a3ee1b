/** The Moddable SDK of this machine: whether it is there, new enough, and has what a target needs. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** What is older has no `native()`, which our modules are written with. */
const OLDEST = "8.2";

/** Where the tools of the SDK are, below it. */
const TOOLS = { linux: "build/bin/lin/release", darwin: "build/bin/mac/release" };

export type Target = "sim" | "esp32s3";

export interface Sdk {
  readonly root: string;
  readonly version: string;
  /** Directory of `mcconfig` and the others. */
  readonly tools: string;
}

/** Something is missing that only its reader can bring. */
export class SdkProblem extends Error {
  override name: string = "SdkProblem";
}

/** @throws {SdkProblem} saying what is missing */
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
  if (target === "esp32s3" && !environment["IDF_PATH"])
    throw new SdkProblem(
      "IDF_PATH is not set: it names the directory of ESP-IDF, which boards are built with",
    );
  if (target === "esp32s3") requireSoundRegularExpressions(root);
  return { root, version, tools };
}

/**
 * In 8.2.3 an `else` is missing: memory of a RegExp's is taken for a chunk of the heap, which its first collection
 * ruins. For the simulator the linker can put something else in its place (device/hosts/moddable/native/
 * regexp-memory.c); a board's firmware is linked by ESP-IDF.
 */
function requireSoundRegularExpressions(root: string): void {
  const file = path.join(root, "xs/sources/xsre.c");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (/fxNewChunk\(the, size\);\s*#endif\s*\{/.test(text))
    throw new SdkProblem(
      `The engine ruins its heap at regular expressions: put "else" on a line of its own below "fxNewChunk(the, size);" in "${file}"`,
    );
}

function readVersion(root: string): string {
  const file = path.join(root, "tools/VERSION");
  if (!existsSync(file)) throw new SdkProblem(`There is no Moddable SDK in "${root}", which MODDABLE names`);
  return readFileSync(file, "utf8").trim();
}

/** @param oldest such as `8.2`; both have two numbers or more */
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
