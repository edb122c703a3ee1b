/**
 * Builds a firmware image for the simulated console, to be packed and uploaded. Prints the image's path in one line, or
 * the usage, on standard output, and everything else on standard error.
 *
 *     npm run build:firmware -- --version X.Y.Z [--codename NAME] [--trusted-keys FILE.pem]
 *         [--revocations LIST] [--security-version N] [--board NAME] [--fault crash|hang|silent] [--out FILE]
 */
import path from "node:path";
import { parseArgs } from "node:util";
import {
  buildFirmware,
  FAULTS,
  FIRMWARE_ARGUMENTS,
  readFault,
  readRevocations,
  readSecurityVersion,
  requireVersion,
} from "../engine/program/firmware.js";
import { writeImage } from "../tools/image.js";
import { checkTrustedKeys } from "../tools/trusted-keys.js";

const USAGE = `usage: npm run build:firmware -- --version X.Y.Z [--codename NAME] [--trusted-keys FILE.pem]
           [--revocations LIST] [--security-version N] [--board NAME] [--fault ${Object.keys(FAULTS).join("|")}] [--out FILE]`;

const root = path.dirname(import.meta.dirname);

/** @throws {Error} that names the invalid argument */
async function readArguments() {
  const { values } = parseArgs({ options: { ...FIRMWARE_ARGUMENTS, board: { type: "string" } } });
  const empty = Object.entries(values).find(([, value]) => value === "");
  if (empty) throw new Error(`Cannot build with an empty --${empty[0]}`);
  const { version = "", codename, "trusted-keys": keysFile, board } = values;
  const fault = readFault(values.fault);
  requireVersion(version);
  writeImage({ program: "", version, board }); // throws if the name of the board does not fit the header
  const name = ["svc", version, ...(fault ? [fault] : [])].join("-");
  const out = path.resolve(values.out ?? path.join(root, "build/firmware", `${name}.img`));
  const securityVersion = readSecurityVersion(values["security-version"]);
  const { revocations: listFile } = values;
  return { out, keysFile, listFile, firmware: { version, codename, board, fault, securityVersion } };
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
