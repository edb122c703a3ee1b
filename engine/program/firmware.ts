/**
 * Builds firmware images for the simulated console: the program, or a program with a deliberate fault, behind the
 * header of image.ts. Also reads the arguments that all firmware builds share.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { transform } from "esbuild";
import { readRevocationList } from "../../protocol/keys/revocation-list.js";
import { parseVersion } from "../../protocol/version.js";
import { bundleText } from "../../tools/bundle.js";
import { explainFailure, replaceFile } from "../../tools/files.js";
import { IMAGE_HEADER_BYTES, writeImage } from "../../tools/image.js";
import { textOf } from "../../tools/objects.js";
import { arrowFunctions } from "./arrow-functions.js";
import {
  type FirmwareOptions,
  factsText,
  firmwareModules,
  firmwareModulesWith,
  firmwarePlugin,
} from "./firmware-modules.js";
import { inlineConstants } from "./inline-constants.js";
import { NO_NAMES, nameMapFile, readNameMap, writeNameMap } from "./name-map.js";
import { type ShortProgram, shortenNames } from "./short-names.js";

const root = path.join(import.meta.dirname, "../..");

/**
 * Writes an image and, beside it, its name map (name-map.ts). The same sources and options give the same bytes.
 * @returns `output`
 * @throws {RangeError} for a board or version that the header cannot hold
 */
export async function buildFirmware(output: string, options: FirmwareOptions): Promise<string> {
  const { version, board, fault, securityVersion } = options;
  const { program, names } =
    fault === undefined
      ? await shortenedBefore(output, options)
      : { program: FAULTS[fault], names: NO_NAMES };
  await replaceFile(nameMapFile(output), writeNameMap(names));
  await replaceFile(output, writeImage({ program, version, board, securityVersion }));
  return output;
}

/** Bundles the console's program with these options, in one module with short names, or a program with a fault. */
export async function bundleProgram(options: FirmwareOptions): Promise<ShortProgram> {
  if (options.fault !== undefined) return { program: FAULTS[options.fault], names: NO_NAMES };
  return shorten(await bundleWith(await firmwareModules(options)));
}

function bundleWith(modules: Awaited<ReturnType<typeof firmwareModules>>): Promise<string> {
  return bundleText(path.join(root, "device/main.ts"), [firmwarePlugin(modules)]);
}

async function shorten(bundle: string): Promise<ShortProgram> {
  return shortenNames(arrowFunctions(await inlineConstants(bundle)));
}

/** What {@link shorten} is written in. */
const SHORTENERS = ["inline-constants.ts", "arrow-functions.ts", "short-names.ts", "syntax-tree.ts"];

/** Stands for the facts of a build while its program is shortened. */
const ANY_FACTS = JSON.stringify("the facts of a firmware build");

/**
 * Takes the short program from the image of the build before, if that was made of the same bundle and facts: shortening
 * takes two seconds, which nearly every `npm start` spares.
 */
async function shortenedBefore(image: string, options: FirmwareOptions): Promise<ShortProgram> {
  const shorteners = await Promise.all(
    SHORTENERS.map((file) => readFile(path.join(import.meta.dirname, file), "utf8")),
  );
  const bundle = await bundleWith(await firmwareModulesWith(ANY_FACTS, options));
  const facts = await formatted(factsText(options));
  const source = sha256(JSON.stringify([shorteners, facts, bundle]));
  const known = readNameMap(await textOf(nameMapFile(image)));
  if (known?.made?.source === source) {
    const program = (await readFile(image).catch(() => Buffer.alloc(0))).toString("utf8", IMAGE_HEADER_BYTES);
    if (sha256(program) === known.made.program) return { program, names: known };
  }
  const { program: anyProgram, names } = await shortened(bundle);
  const parts = anyProgram.split(ANY_FACTS);
  if (parts.length !== 2) throw new Error(`Cannot write the firmware's facts in ${parts.length - 1} places`);
  const program = parts.join(facts);
  return { program, names: { ...names, made: { source, program: sha256(program) } } };
}

/** The last bundle and its program: images of several versions differ in their facts alone. */
let last: { readonly bundle: string; readonly program: Promise<ShortProgram> } | undefined;

function shortened(bundle: string): Promise<ShortProgram> {
  if (last?.bundle !== bundle) last = { bundle, program: shorten(bundle) };
  return last.program;
}

/** An object in JSON, as it stands in a bundle. */
async function formatted(json: string): Promise<string> {
  const { code } = await transform(`(${json})`, { charset: "utf8" });
  return code.replace(/^\(|\);\n$/g, "");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Programs with one deliberate fault each, to test recovery. They use no hardware. */
export const FAULTS = Object.freeze({
  crash: `export default function main() {\n  throw new Error("This firmware was built to crash");\n}\n`,
  hang: "export default function main() {\n  for (;;);\n}\n",
  silent: "export default function main() {}\n",
});

export type Fault = keyof typeof FAULTS;

/** The arguments that all firmware builds share, for `parseArgs` of `node:util`. */
export const FIRMWARE_ARGUMENTS = {
  version: { type: "string" },
  codename: { type: "string" },
  "trusted-keys": { type: "string" },
  revocations: { type: "string" },
  "security-version": { type: "string" },
  fault: { type: "string" },
  out: { type: "string" },
} as const;

/** Splits a build's arguments at `--`: its own, and those that it passes on. */
export function splitArguments(): { own: string[]; passedOn: string[] } {
  const all = process.argv.slice(2);
  const end = all.indexOf("--");
  return end < 0 ? { own: all, passedOn: [] } : { own: all.slice(0, end), passedOn: all.slice(end + 1) };
}

/**
 * Reads `--fault`.
 * @throws {Error} for a name that is not in {@link FAULTS}
 */
export function readFault(name: string | undefined): Fault | undefined {
  if (name !== undefined && !Object.hasOwn(FAULTS, name))
    throw new Error(`Cannot build "${name}": the faults are ${Object.keys(FAULTS).join(", ")}`);
  return name as Fault | undefined;
}

/**
 * Checks `--version`.
 * @throws {Error} unless it is `MAJOR.MINOR.PATCH`
 */
export function requireVersion(version: string): void {
  if (!parseVersion(version))
    throw new Error(`Cannot build version "${version}": a version is MAJOR.MINOR.PATCH, in digits`);
}

/**
 * Reads `--security-version`.
 * @throws {Error} for anything but a 32-bit number
 */
export function readSecurityVersion(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= 0xffffffff) return Number(text);
  throw new Error(`Cannot build security version "${text}": expected a number from 0 to 4294967295`);
}

/**
 * Reads `--revocations`.
 * @param file list from `svc keys revoke`
 * @returns the list in base64
 * @throws {Error} for an invalid list
 */
export async function readRevocations(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const bytes = await explainFailure(`read "${file}"`, () => readFileSync(file));
  readRevocationList(bytes);
  return bytes.toString("base64");
}
