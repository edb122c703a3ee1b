/** The command line of `npm run test:board`. What can be checked without starting anything is checked here. */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { Chip } from "../../boards/moddable/esp-image.js";
import { type FlashContent, readFlashImage } from "../../boards/moddable/flash-image.js";
import { UARTS } from "./emulator.js";
import { SKIPS, SUITES } from "./suites.js";

export const USAGE = `usage: npm run test:board -- --flash IMAGE --qemu PATH [--timeout SECONDS] [--icount N] [--uart N]
           [FILES] [-- arguments of the emulator]`;

const MEBIBYTE = 1024 * 1024;

/** What emulators take for a flash. */
const FLASH_MEBIBYTES = Object.freeze([2, 4, 8, 16]);

/** The chip's `-machine`, and the PSRAM of our boards. */
export const MACHINES: Readonly<Record<Chip, { readonly machine: string; readonly memory: string }>> =
  Object.freeze({
    esp32: { machine: "esp32", memory: "4M" },
    esp32s3: { machine: "esp32s3", memory: "8M" },
  });

const DEFAULT_TIMEOUT_S = 120;
const LONGEST_TIMEOUT_S = 3600;
/** The largest shift of QEMU's `-icount`. */
const LARGEST_ICOUNT = 10;

export interface BoardArguments {
  /** Path of the emulator. */
  readonly emulator: string;
  readonly content: FlashContent;
  /** The whole flash. */
  readonly flash: Uint8Array;
  readonly timeoutMs: number;
  readonly icount: number | undefined;
  readonly uart: number;
  /** Test files, from the root of the project. */
  readonly files: readonly string[];
  readonly extra: readonly string[];
}

/**
 * @param words of the command line
 * @param environment with the `PATH` in which an emulator without a directory is looked for
 * @throws {Error} that names the invalid argument
 */
export function readArguments(words: readonly string[], environment: NodeJS.ProcessEnv): BoardArguments {
  const end = words.indexOf("--");
  const own = end < 0 ? words : words.slice(0, end);
  const { values, positionals } = parseArgs({
    args: [...own],
    allowPositionals: true,
    options: {
      flash: { type: "string" },
      qemu: { type: "string" },
      timeout: { type: "string", default: String(DEFAULT_TIMEOUT_S) },
      icount: { type: "string" },
      uart: { type: "string", default: "0" },
    },
  });
  const uart = numberOf("uart", values.uart, 0, UARTS.length - 1);
  const timeoutMs = 1000 * numberOf("timeout", values.timeout, 1, LONGEST_TIMEOUT_S);
  const icount =
    values.icount === undefined ? undefined : numberOf("icount", values.icount, 0, LARGEST_ICOUNT);
  const files = positionals.length === 0 ? knownFiles() : [...new Set(positionals.flatMap(readFiles))];
  if (values.flash === undefined) throw new Error("Name the image of the flash with --flash");
  if (values.qemu === undefined) throw new Error("Name the emulator with --qemu");
  const extra = end < 0 ? [] : words.slice(end + 1);
  return {
    ...{ emulator: findProgram(values.qemu, environment), ...readFlash(values.flash) },
    ...{ timeoutMs, icount, uart, files, extra },
  };
}

function numberOf(name: string, text: string, least: number, most: number): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
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
