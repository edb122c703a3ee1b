/**
 * Builds an image of firmware for the simulated console, to be packed and uploaded. Standard output is its path,
 * in one line, or the usage that was asked for; what else there is to say goes to standard error.
 *
 *     npm run build:firmware -- --version X.Y.Z [--codename NAME] [--trusted-keys FILE.pem]
 *         [--revocations LIST] [--security-version N] [--board NAME] [--fault crash|hang|silent] [--out FILE]
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { parseVersion } from "../protocol/version.js";
import {
  buildFirmware,
  FAULTS,
  type Fault,
  readRevocations,
  readSecurityVersion,
} from "../tools/firmware.js";
import { writeImage } from "../tools/image.js";
import { checkTrustedKeys } from "../tools/trusted-keys.js";

const USAGE = `usage: npm run build:firmware -- --version X.Y.Z [--codename NAME] [--trusted-keys FILE.pem]
           [--revocations LIST] [--security-version N] [--board NAME] [--fault ${Object.keys(FAULTS).join("|")}] [--out FILE]`;

const root = path.dirname(import.meta.dirname);

/**
 * What the arguments ask for.
 * @throws {Error} saying what is wrong with them
 */
async function readArguments() {
  const { values } = parseArgs({
    options: {
      version: { type: "string" },
      codename: { type: "string" },
      "trusted-keys": { type: "string" },
      revocations: { type: "string" },
      "security-version": { type: "string" },
      board: { type: "string" },
      fault: { type: "string" },
      out: { type: "string" },
    },
  });
  const empty = Object.entries(values).find(([, value]) => value === "");
  if (empty) throw new Error(`Cannot build with an empty --${empty[0]}`);
  const { version = "", codename, "trusted-keys": keysFile, board } = values;
  const fault = readFault(values.fault);
  await checkVersion(version);
  writeImage({ program: "", version, board }); // throws for a board that has no room in it
  const name = ["svc", version, ...(fault ? [fault] : [])].join("-");
  const out = path.resolve(values.out ?? path.join(root, "build/firmware", `${name}.img`));
  const securityVersion = readSecurityVersion(values["security-version"]);
  const { revocations: listFile } = values;
  return { out, keysFile, listFile, firmware: { version, codename, board, fault, securityVersion } };
}

function readFault(name: string | undefined): Fault | undefined {
  if (name !== undefined && !Object.hasOwn(FAULTS, name))
    throw new Error(`Cannot build "${name}": the faults are ${Object.keys(FAULTS).join(", ")}`);
  return name as Fault | undefined;
}

async function checkVersion(version: string): Promise<void> {
  if (!parseVersion(version))
    throw new Error(`Cannot build version "${version}": a version is MAJOR.MINOR.PATCH, in digits`);
}

/** @returns path of the image */
async function build({
  out,
  keysFile,
  listFile,
  firmware: wanted,
}: Awaited<ReturnType<typeof readArguments>>): Promise<string> {
  const firmware = { ...wanted, revocations: await readRevocations(listFile) };
  if (keysFile === undefined) return buildFirmware(out, firmware);
  const { pem, problems } = await checkTrustedKeys(keysFile);
  for (const problem of problems) log(`${keysFile}: ${problem}`);
  return buildFirmware(out, { ...firmware, trustedKeys: pem });
}

function log(text: string): void {
  process.stderr.write(`build-firmware: ${text}\n`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function main(): Promise<void> {
  if (process.argv.includes("--help")) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const wanted = await readArguments().catch((error) => {
    process.stderr.write(`build-firmware: ${messageOf(error)}\n${USAGE}\n`);
    process.exit(2);
  });
  const file = await build(wanted).catch((error) => {
    log(messageOf(error));
    process.exit(1);
  });
  process.stdout.write(`${file}\n`);
}

await main();
