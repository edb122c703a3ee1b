/**
 * `npm run moddable`: builds the console with the Moddable SDK, for its simulator or for a board, and runs it there.
 * Standard output is the path of what was built, or the console's own; the rest goes to standard error.
 *
 * Exit status 1: something is missing, or does not build. 2: wrong usage.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { parseVersion } from "../../protocol/version.js";
import { FAULTS, type Fault, readRevocations, readSecurityVersion } from "../../tools/firmware.js";
import { readBoardOptions } from "./board-options.js";
import { checkCombination } from "./combinations.js";
import { requireDisplay } from "./display.js";
import { buildBoardFirmware, buildSimulatorImage } from "./firmware.js";
import { findSdk, SdkProblem, type Target } from "./sdk.js";
import { runInSimulator } from "./simulator.js";
import { keysFor } from "./trusted-keys.js";

const USAGE = `usage: npm run moddable -- sim|esp32s3 [--version X.Y.Z] [--codename NAME] [--trusted-keys FILE.pem]
           [--revocations LIST] [--security-version N] [--fault ${Object.keys(FAULTS).join("|")}] [--out FILE]
           [--config NAME=VALUE]... [--deploy [-- flags of the console]]`;

const root = path.join(import.meta.dirname, "../..");

/** Wrong usage. */
class UsageError extends Error {}

/** Ours, and after `--` the console's. */
function splitArguments() {
  const all = process.argv.slice(2);
  const end = all.indexOf("--");
  return end < 0 ? { ours: all, flags: [] } : { ours: all.slice(0, end), flags: all.slice(end + 1) };
}

/**
 * What the arguments ask for.
 * @throws {Error} saying what is wrong with them
 */
async function readArguments() {
  const { ours, flags } = splitArguments();
  const { values, positionals } = parseArgs({
    args: ours,
    allowPositionals: true,
    options: {
      version: { type: "string" },
      codename: { type: "string" },
      "trusted-keys": { type: "string" },
      revocations: { type: "string" },
      "security-version": { type: "string" },
      fault: { type: "string" },
      out: { type: "string" },
      config: { type: "string", multiple: true, default: [] },
      deploy: { type: "boolean", default: false },
    },
  });
  const target = readTarget(positionals);
  checkCombination({ target, out: values.out, config: values.config, isToDeploy: values.deploy, flags });
  const version = values.version ?? JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).version;
  await checkVersion(version);
  const fault = readFault(values.fault);
  const out = path.resolve(values.out ?? path.join(root, "build/moddable/device.img"));
  const config = await readBoardOptions(values.config);
  const securityVersion = readSecurityVersion(values["security-version"]);
  const firmware = { version, codename: values.codename, fault, config, securityVersion };
  const { "trusted-keys": keysFile, revocations: listFile, deploy: isToDeploy } = values;
  return { target, firmware, out, keysFile, listFile, isToDeploy, flags };
}

function readTarget([target, ...rest]: string[]): Target {
  if ((target !== "sim" && target !== "esp32s3") || rest.length > 0)
    throw new UsageError("Name what to build for: sim or esp32s3");
  return target;
}

function readFault(name: string | undefined): Fault | undefined {
  if (name !== undefined && !Object.hasOwn(FAULTS, name))
    throw new UsageError(`Cannot build "${name}": the faults are ${Object.keys(FAULTS).join(", ")}`);
  return name as Fault | undefined;
}

async function checkVersion(version: string): Promise<void> {
  if (!parseVersion(version))
    throw new UsageError(`Cannot build version "${version}": a version is MAJOR.MINOR.PATCH, in digits`);
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
  if (wanted.target === "esp32s3") {
    process.stdout.write(`${await buildBoardFirmware(sdk, firmware, wanted.isToDeploy)}\n`);
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

/** Where it is told what each target needs. */
const GUIDES = Object.freeze({ sim: "docs/moddable.md", esp32s3: "docs/board.md" });

function fail(target: Target, error: unknown): never {
  log(error instanceof Error ? error.message : String(error));
  if (error instanceof SdkProblem) log(`${GUIDES[target]} says what is needed`);
  process.exit(1);
}

async function main(): Promise<void> {
  if (splitArguments().ours.includes("--help")) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const wanted = await readArguments().catch((error) => {
    process.stderr.write(`moddable: ${error.message}\n${USAGE}\n`);
    process.exit(2);
  });
  process.exitCode = await perform(wanted).catch((error) => fail(wanted.target, error));
}

await main();
