/**
 * `npm run board`: builds the console for a board with ESP-IDF (README.md). Prints the path of the firmware, or of the image
 * of the flash, on standard output, and everything else on standard error.
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
} from "../../engine/program/firmware.js";
import { writeFlashFiles } from "../../tools/flash/flash-files.js";
import { readBoardOptions } from "../board-options.js";
import { BOARD_NAMES, ethernetNames, readEthernet } from "../boards.js";
import { keysFor } from "../trusted-keys.js";
import { buildWithIdf, firmwareFile, flash } from "./builder/idf.js";
import { writeProject } from "./builder/project.js";
import { chipOf, nameOf, type Target } from "./builder/target.js";

const USAGE = `usage: npm run board -- ${BOARD_NAMES.join("|")} [--deploy [--port PORT]] [--image] [--emulator]
           [--ethernet ${BOARD_NAMES.flatMap(ethernetNames).join("|")}]
           [--version X.Y.Z] [--codename NAME] [--trusted-keys FILE.pem] [--revocations LIST] [--security-version N]
           [--hub-ca FILE.pem] [--fault ${Object.keys(FAULTS).join("|")}] [--config NAME=VALUE]... [--out DIR] [-- arguments of CMake]`;

const root = path.join(import.meta.dirname, "../..");

/** @throws {Error} that names the invalid argument */
async function readArguments() {
  const { own, passedOn: cmake } = splitArguments();
  const { values, positionals } = parseArgs({
    args: own,
    allowPositionals: true,
    options: {
      ...FIRMWARE_ARGUMENTS,
      config: { type: "string", multiple: true, default: [] },
      deploy: { type: "boolean", default: false },
      emulator: { type: "boolean", default: false },
      ethernet: { type: "string" },
      "hub-ca": { type: "string" },
      image: { type: "boolean", default: false },
      port: { type: "string" },
    },
  });
  const target = readTarget(positionals, values);
  if (values.port !== undefined && !values.deploy) throw new Error("--port is for --deploy");
  if (values.deploy && values.emulator) throw new Error("An emulator is not flashed: leave out --deploy");
  if (!process.env["IDF_PATH"]) throw new Error("IDF_PATH is not set: it names the directory of ESP-IDF");
  const version = values.version ?? JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).version;
  requireVersion(version);
  const { pem, news } = await keysFor(target.board, values["trusted-keys"]);
  for (const line of news) log(line);
  return {
    target,
    folder: path.resolve(values.out ?? path.join(root, "build/board", nameOf(target))),
    cmake,
    hubCa: values["hub-ca"],
    isImage: values.image || values.emulator,
    deploys: values.deploy,
    port: values.port,
    options: {
      version,
      codename: values.codename,
      fault: readFault(values.fault),
      securityVersion: readSecurityVersion(values["security-version"]),
      trustedKeys: pem,
      revocations: await readRevocations(values.revocations),
      config: await readBoardOptions(values.config),
    },
  };
}

function readTarget(
  positionals: readonly string[],
  values: { readonly ethernet?: string | undefined; readonly emulator: boolean },
): Target {
  const [name, another] = positionals;
  const board = BOARD_NAMES.find((known) => known === name);
  if (board === undefined || another !== undefined)
    throw new Error(name === undefined ? "Name a board" : `Name one of ${BOARD_NAMES.join(", ")}`);
  if (values.emulator ? values.ethernet !== undefined : values.ethernet === "openeth")
    throw new Error("The Ethernet of an emulator comes with --emulator alone");
  return { board, ethernet: readEthernet(board, values.ethernet), isEmulated: values.emulator };
}

function log(text: string): void {
  process.stderr.write(`board: ${text}\n`);
}

async function main(): Promise<void> {
  const { folder, target, cmake, hubCa, options, ...wanted } = await readArguments().catch((error) => {
    process.stderr.write(`board: ${error.message}\n${USAGE}\n`);
    process.exit(2);
  });
  try {
    const project = await writeProject(folder, target, options);
    const build = await buildWithIdf({ folder, target, project, version: options.version, hubCa, cmake });
    const { image } = await writeFlashFiles(chipOf(target), build, path.join(folder, "image"));
    process.stdout.write(`${wanted.isImage ? image : firmwareFile(build, target)}\n`);
    if (wanted.deploys) await flash(build, target, wanted.port);
  } catch (error) {
    log(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

await main();
