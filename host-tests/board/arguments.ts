/**
 * The command lines of `npm run test:board` and `npm run test:board:power`. What can be checked without starting anything
 * is checked here.
 */
import { createPrivateKey } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { BUNDLE_HEADER_BYTES, readBundleHeader } from "../../protocol/firmware/bundle-header.js";
import { readImageHeader } from "../../protocol/firmware/image-header.js";
import type { Chip } from "../../tools/flash/esp-image.js";
import { type FlashContent, readFlashImage } from "../../tools/flash/flash-image.js";
import { type EmulatorOptions, UARTS } from "./emulator.js";
import { SKIPS, SUITES } from "./suites.js";

export const USAGE = `usage: npm run test:board -- --flash IMAGE --qemu PATH [--key FILE.pem] [--timeout SECONDS] [--icount N]
           [--uart N] [FILES] [-- arguments of the emulator]`;

export const POWER_USAGE = `usage: npm run test:board:power -- --flash IMAGE --qemu PATH [--package FILE]... [--bundle FILE]...
           [--cuts N] [--seed N] [--timeout SECONDS] [--icount N] [--uart N] [-- arguments of the emulator]`;

const MEBIBYTE = 1024 * 1024;

/** What emulators take for a flash. */
const FLASH_MEBIBYTES = Object.freeze([2, 4, 8, 16]);

/** The chip's `-machine`, and the PSRAM of our boards. */
export const MACHINES: Readonly<Record<Chip, Pick<EmulatorOptions, "machine" | "memory" | "isOctal">>> =
  Object.freeze({
    esp32: { machine: "esp32", memory: "4M" },
    esp32s3: { machine: "esp32s3", memory: "8M", isOctal: true },
  });

const DEFAULT_TIMEOUT_S = 120;
const LONGEST_TIMEOUT_S = 3600;
/** The largest shift of QEMU's `-icount`. */
const LARGEST_ICOUNT = 10;

const DEFAULT_CUTS = 200;
const MOST_CUTS = 99_999;

export interface EmulatorArguments {
  /** Path of the emulator. */
  readonly emulator: string;
  readonly content: FlashContent;
  /** The whole flash. */
  readonly flash: Uint8Array;
  readonly timeoutMs: number;
  readonly icount: number | undefined;
  readonly uart: number;
  readonly extra: readonly string[];
}

export interface BoardArguments extends EmulatorArguments {
  /** Private key of a publisher that the console trusts, in PEM. */
  readonly key: string | undefined;
  /** Test files, from the root of the project. */
  readonly files: readonly string[];
}

export interface PowerArguments extends EmulatorArguments {
  /** Signed packages, and bundles of firmware. */
  readonly packages: readonly SignedFile[];
  readonly bundles: readonly FirmwareFile[];
  readonly cuts: number;
  /** Of the random moments. */
  readonly seed: number;
}

export interface SignedFile {
  readonly bytes: Uint8Array;
  /** Content of the `.sig` file beside it: 128 hexadecimal digits. */
  readonly signature: string;
}

export interface FirmwareFile {
  readonly bytes: Uint8Array;
  readonly version: string;
}

const EMULATOR_OPTIONS = {
  flash: { type: "string" },
  qemu: { type: "string" },
  timeout: { type: "string", default: String(DEFAULT_TIMEOUT_S) },
  icount: { type: "string" },
  uart: { type: "string", default: "0" },
} as const;

/**
 * @param words of the command line
 * @param environment with the `PATH` in which an emulator without a directory is looked for
 * @throws {Error} that names the invalid argument
 */
export function readArguments(words: readonly string[], environment: NodeJS.ProcessEnv): BoardArguments {
  const { own, extra } = splitWords(words);
  const { values, positionals } = parseArgs({
    args: own,
    allowPositionals: true,
    options: { ...EMULATOR_OPTIONS, key: { type: "string" } },
  });
  const files = positionals.length === 0 ? knownFiles() : [...new Set(positionals.flatMap(readFiles))];
  const key = values.key === undefined ? undefined : readKey(values.key);
  return { ...readEmulator(values, environment), extra, files, key };
}

/**
 * @param words of the command line
 * @param environment with the `PATH` in which an emulator without a directory is looked for
 * @throws {Error} that names the invalid argument
 */
export function readPowerArguments(words: readonly string[], environment: NodeJS.ProcessEnv): PowerArguments {
  const { own, extra } = splitWords(words);
  const { values } = parseArgs({
    args: own,
    options: {
      ...EMULATOR_OPTIONS,
      package: { type: "string", multiple: true, default: [] },
      bundle: { type: "string", multiple: true, default: [] },
      cuts: { type: "string", default: String(DEFAULT_CUTS) },
      seed: { type: "string", default: "1" },
    },
  });
  return {
    cuts: numberOf("cuts", values.cuts, 1, MOST_CUTS),
    seed: numberOf("seed", values.seed, 0, MOST_CUTS),
    packages: values.package.map((file) => ({
      bytes: readFile(file),
      signature: readFile(`${file}.sig`).toString("utf8").trim(),
    })),
    bundles: values.bundle.map(readBundle),
    ...readEmulator(values, environment),
    extra,
  };
}

/** What follows `--` is the emulator's. */
function splitWords(words: readonly string[]): { readonly own: string[]; readonly extra: readonly string[] } {
  const end = words.indexOf("--");
  return end < 0 ? { own: [...words], extra: [] } : { own: words.slice(0, end), extra: words.slice(end + 1) };
}

type EmulatorWords = { readonly [Name in keyof typeof EMULATOR_OPTIONS]?: string | undefined };

function readEmulator(
  values: EmulatorWords,
  environment: NodeJS.ProcessEnv,
): Omit<EmulatorArguments, "extra"> {
  const uart = numberOf("uart", values.uart, 0, UARTS.length - 1);
  const timeoutMs = 1000 * numberOf("timeout", values.timeout, 1, LONGEST_TIMEOUT_S);
  const icount =
    values.icount === undefined ? undefined : numberOf("icount", values.icount, 0, LARGEST_ICOUNT);
  if (values.flash === undefined) throw new Error("Name the image of the flash with --flash");
  if (values.qemu === undefined) throw new Error("Name the emulator with --qemu");
  return {
    emulator: findProgram(values.qemu, environment),
    ...readFlash(values.flash),
    timeoutMs,
    icount,
    uart,
  };
}

function readFile(name: string): Buffer {
  try {
    return readFileSync(name);
  } catch (error) {
    throw new Error(`Cannot read "${name}": ${reasonOf(error)}`, { cause: error });
  }
}

function readKey(name: string): string {
  const pem = readFile(name).toString("utf8");
  try {
    if (createPrivateKey(pem).asymmetricKeyType === "ed25519") return pem;
  } catch {} // whatever it is instead
  throw new Error(`"${name}" is not a private Ed25519 key: --key names the one that signs for the console`);
}

function readBundle(name: string): FirmwareFile {
  const bytes = readFile(name);
  try {
    readBundleHeader(bytes);
    return { bytes, version: readImageHeader(bytes.subarray(BUNDLE_HEADER_BYTES)).version };
  } catch (error) {
    throw new Error(`"${name}" is not a bundle of firmware: ${(error as Error).message}`, { cause: error });
  }
}

function numberOf(name: string, text: string | undefined, least: number, most: number): number {
  if (text !== undefined && /^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most)
    return Number(text);
  throw new Error(`--${name} takes a number from ${least} to ${most}, not "${text}"`);
}

const knownFiles = () => [...new Set([...SUITES, ...SKIPS.map(({ file }) => file)])];

/** @param name of a file or folder: a path, or its end, with or without `.test.ts` */
function readFiles(name: string): readonly string[] {
  const plain = path.normalize(name).replace(/(\.test)?\.ts$|\/$/, "");
  const files = knownFiles().filter((known) => `/${known.replace(".test.ts", "/")}`.includes(`/${plain}/`));
  if (files.length === 0) throw new Error(`"${name}" is not a test that a console in an emulator can run`);
  return files;
}

function findProgram(name: string, { PATH = "" }: NodeJS.ProcessEnv): string {
  const directories = name.includes("/") ? [""] : PATH.split(path.delimiter);
  const program = directories.map((directory) => path.resolve(directory, name)).find(isProgram);
  if (program === undefined) throw new Error(`"${name}" is not a program: --qemu names the emulator`);
  return program;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // reported as not a program
  }
}

/** Fills the flash behind the image as erased flash is. */
function readFlash(file: string): { readonly content: FlashContent; readonly flash: Uint8Array } {
  try {
    const image = readFileSync(file);
    const content = readFlashImage(image);
    const { flashBytes } = content;
    if (!FLASH_MEBIBYTES.includes(flashBytes / MEBIBYTE))
      throw new Error(`it is for a flash of ${flashBytes} bytes, which no emulator has`);
    if (image.length > flashBytes)
      throw new Error(`it has ${image.length} bytes, and its flash ${flashBytes}`);
    return { content, flash: Buffer.concat([image, Buffer.alloc(flashBytes - image.length, 0xff)]) };
  } catch (error) {
    throw new Error(`Cannot use "${file}" as an image of the flash: ${reasonOf(error)}`, { cause: error });
  }
}

/** The system's messages repeat the path. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return code === undefined ? message : ((message.split(": ")[1] ?? message).split(",")[0] ?? message);
}
