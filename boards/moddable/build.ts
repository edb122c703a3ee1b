/**
 * `npm run moddable`: builds the console with the Moddable SDK, for its simulator, where it runs it, or for an ESP32-S3.
 * Prints the path of the image, or the console's output, on standard output, and everything else on standard error. With
 * `--image` it is the image of the chip's whole flash; its manifest is in the same directory.
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
import { readBoardOptions } from "../board-options.js";
import { keysFor } from "../trusted-keys.js";
import { checkCombination } from "./combinations.js";
import { requireDisplay } from "./display.js";
import { buildBoardFirmware, buildSimulatorImage } from "./firmware.js";
import { findSdk, SdkProblem, TARGETS, type Target } from "./sdk.js";
import { runInSimulator } from "./simulator.js";

const USAGE = `usage: npm run moddable -- ${TARGETS.join("|")} [--version X.Y.Z] [--codename NAME] [--trusted-keys FILE.pem]
           [--revocations LIST] [--security-version N] [--fault ${Object.keys(FAULTS).join("|")}] [--out FILE]
           [--config NAME=VALUE]... [--hub-ca FILE.pem] [--image] [--deploy [-- flags of the console]]`;

const root = path.join(import.meta.dirname, "../..");

/** @throws {Error} that names the invalid argument */
async function readArguments() {
  const { own, passedOn: flags } = splitArguments();
  const { values, positionals } = parseArgs({
    args: own,
    allowPositionals: true,
    options: {
      ...FIRMWARE_ARGUMENTS,
      config: { type: "string", multiple: true, default: [] },
      image: { type: "boolean", default: false },
      "hub-ca": { type: "string" },
      deploy: { type: "boolean", default: false },
    },
  });
  const target = readTarget(positionals);
  const { deploy: isToDeploy, image: isToMerge, "hub-ca": hubCa } = values;
  checkCombination({
    target,
    out: values.out,
    config: values.config,
    hubCa,
    isToMerge,
    isToDeploy,
    flags,
  });
  const version = values.version ?? JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).version;
  requireVersion(version);
  const fault = readFault(values.fault);
  const out = path.resolve(values.out ?? path.join(root, "build/moddable/device.img"));
  const config = await readBoardOptions(values.config);
  const securityVersion = readSecurityVersion(values["security-version"]);
  const firmware = { version, codename: values.codename, fault, config, securityVersion, hubCa };
  const { "trusted-keys": keysFile, revocations: listFile } = values;
  return { target, firmware, out, keysFile, listFile, isToMerge, isToDeploy, flags };
}

function readTarget([target, ...rest]: string[]): Target {
  const found = TARGETS.find((known) => known === target);
  if (found === undefined || rest.length > 0)
    throw new Error(`Name what to build for: ${TARGETS.join(" or ")}`);
  return found;
}

async function firmwareOf({
  target,
  firmware,
  keysFile,
  listFile,
}: Awaited<ReturnType<typeof readArguments>>) {
  const { pem, news } = await keysFor(target, keysFile);
  for (const line of news) log(line);
  return { ...firmware, trustedKeys: pem, revocations: await readRevocations(listFile) };
}

/** @returns exit status */
async function perform(wanted: Awaited<ReturnType<typeof readArguments>>): Promise<number> {
  const sdk = findSdk(process.env, wanted.target);
  if (wanted.target === "sim" && wanted.isToDeploy) requireDisplay(process.env);
  const firmware = await firmwareOf(wanted);
  if (wanted.target !== "sim") {
    process.stdout.write(`${await buildBoardFirmware(sdk, firmware, wanted.isToMerge)}\n`);
    return 0;
  }
  const image = await buildSimulatorImage(sdk, wanted.out, firmware);
  if (wanted.isToDeploy) return runInSimulator({ sdk, image, flags: wanted.flags, output: process.stdout });
  process.stdout.write(`${image}\n`);
  return 0;
}

function log(text: string): void {
  process.stderr.write(`moddable: ${text}\n`);
}

function fail(error: unknown): never {
  log(error instanceof Error ? error.message : String(error));
  if (error instanceof SdkProblem) log("docs/moddable.md says what is needed");
  process.exit(1);
}

async function main(): Promise<void> {
  if (splitArguments().own.includes("--help")) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const wanted = await readArguments().catch((error) => {
    process.stderr.write(`moddable: ${error.message}\n${USAGE}\n`);
    process.exit(2);
  });
  process.exitCode = await perform(wanted).catch(fail);
}

await main();
