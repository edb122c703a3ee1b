/**
 * `npm run board:esp-idf`: builds the console with ESP-IDF and the engine of npm, without the Moddable SDK (README.md).
 * Prints the path of the image of the flash on standard output, and everything else on standard error.
 *
 * Exit status 1: a requirement is missing, or the build fails. 2: wrong usage.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import {
  FAULTS,
  FIRMWARE_ARGUMENTS,
  readFault,
  readRevocations,
  readSecurityVersion,
  requireVersion,
  splitArguments,
} from "../../tools/firmware.js";
import { readBoardOptions } from "../moddable/board-options.js";
import { writeFlashFiles } from "../moddable/flash-files.js";
import { keysFor } from "../moddable/trusted-keys.js";
import { buildWithIdf } from "./builder/idf.js";
import { writeProject } from "./builder/project.js";

const USAGE = `usage: npm run board:esp-idf -- --littlefs DIR [--version X.Y.Z] [--codename NAME]
           [--trusted-keys FILE.pem] [--revocations LIST] [--security-version N]
           [--hub-ca FILE.pem] [--fault ${Object.keys(FAULTS).join("|")}] [--config NAME=VALUE]... [--out DIR] [-- arguments of CMake]`;

const root = path.join(import.meta.dirname, "../..");

/** @throws {Error} that names the invalid argument */
async function readArguments() {
  const { own, passedOn: cmake } = splitArguments();
  const { values } = parseArgs({
    args: own,
    options: {
      ...FIRMWARE_ARGUMENTS,
      config: { type: "string", multiple: true, default: [] },
      "hub-ca": { type: "string" },
      littlefs: { type: "string" },
    },
  });
  if (values.littlefs === undefined) throw new Error("Name the folder of littlefs with --littlefs");
  if (!process.env["IDF_PATH"]) throw new Error("IDF_PATH is not set: it names the directory of ESP-IDF");
  const version = values.version ?? JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).version;
  requireVersion(version);
  const { pem, news } = await keysFor("esp32", values["trusted-keys"]);
  for (const line of news) log(line);
  return {
    folder: path.resolve(values.out ?? path.join(root, "build/esp-idf")),
    cmake,
    hubCa: values["hub-ca"],
    options: {
      version,
      codename: values.codename,
      fault: readFault(values.fault),
      securityVersion: readSecurityVersion(values["security-version"]),
      trustedKeys: pem,
      revocations: await readRevocations(values.revocations),
      config: await readBoardOptions(values.config),
      littlefs: path.resolve(values.littlefs),
    },
  };
}

function log(text: string): void {
  process.stderr.write(`board:esp-idf: ${text}\n`);
}

async function main(): Promise<void> {
  const { folder, cmake, hubCa, options } = await readArguments().catch((error) => {
    process.stderr.write(`board:esp-idf: ${error.message}\n${USAGE}\n`);
    process.exit(2);
  });
  try {
    const sources = await writeProject(folder, options);
    const build = await buildWithIdf({ folder, sources, version: options.version, hubCa, cmake });
    const { image } = await writeFlashFiles("esp32", build, path.join(folder, "image"));
    process.stdout.write(`${image}\n`);
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

await main();
