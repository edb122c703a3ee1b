/**
 * Reads files that the user has named, with a size limit, and writes them atomically. Errors get messages by their
 * code.
 */
import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { getSystemErrorMap } from "node:util";
import { replaceFile } from "../tools/files.js";
import { SvcError } from "./svc-error.js";
import { bytesText } from "./terminal/format.js";

const MIB = 1024 * 1024;
/** Above the limit of any console: a build may allow more than the default of 1 MiB. */
export const APP_FILE_LIMIT_BYTES = 64 * MIB;
/** The largest flash of a board has 16 MiB. */
export const FIRMWARE_FILE_LIMIT_BYTES = 64 * MIB;
/** Keys and signatures have a few hundred bytes, a console's list of keys a few thousand. */
export const TEXT_FILE_LIMIT_BYTES = MIB;

/**
 * Reads a whole file or pipe.
 * @throws {SvcError} `file_not_found`, `file_unreadable`, `file_too_large`
 */
export async function readInput(file: string, limitBytes: number): Promise<Buffer> {
  return reading(file, async () => {
    const handle = await open(file);
    try {
      const status = await handle.stat();
      if (!status.isFile() && !status.isFIFO()) throw notFile(file, status.isDirectory());
      if (status.size > limitBytes) throw tooLarge(file, limitBytes);
      return await readWithin(handle, file, limitBytes);
    } finally {
      await handle.close();
    }
  });
}

/** Reads a file, and rejects an empty one. */
export async function readContent(file: string, limitBytes: number): Promise<Buffer> {
  const bytes = await readInput(file, limitBytes);
  if (bytes.length === 0) throw new SvcError("file_empty", `Cannot use "${file}": it is empty`);
  return bytes;
}

/** Reads a file; `undefined` if it does not exist. */
export async function readIfThere(file: string, limitBytes: number): Promise<Buffer | undefined> {
  try {
    return await readInput(file, limitBytes);
  } catch (error) {
    if (error instanceof SvcError && error.code === "file_not_found") return undefined;
    throw error;
  }
}

/**
 * Writes a file named by the user. Does not create its directory, which would hide a typing error.
 * @throws {SvcError} `file_not_written`
 */
export async function writeOutput(file: string, content: Uint8Array | string): Promise<void> {
  requireDirectory(file);
  await writeBuilt(file, content);
}

/** Writes a file, and creates its directory. */
export async function writeBuilt(file: string, content: Uint8Array | string): Promise<void> {
  await writing(`"${file}"`, () => replaceFile(file, content));
}

/**
 * Checks that the directory exists, before the work whose result goes to `file`.
 * @throws {SvcError} `file_not_written`
 */
export function requireDirectory(file: string): void {
  const directory = path.dirname(file);
  if (isDirectory(directory)) return;
  throw new SvcError("file_not_written", `Cannot write "${file}": there is no directory "${directory}"`, {
    advice: "Create it first, or choose another one.",
  });
}

export async function reading<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const reason = systemReason(cause);
    if (reason === undefined) throw cause;
    const code = codeOfSystem(cause) === "ENOENT" ? "file_not_found" : "file_unreadable";
    throw new SvcError(code, `Cannot read "${file}": ${reason}`, { cause });
  }
}

/**
 * @param what such as `"out.png"` or `keys to "keys"`
 * @param work which may explain system errors itself
 */
export async function writing<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    const reason = systemReason(cause);
    if (reason !== undefined)
      throw new SvcError("file_not_written", `Cannot write ${what}: ${reason}`, { cause });
    if (code !== undefined) throw cause; // an error of ours
    throw new SvcError("file_not_written", message, { cause });
  }
}

/** @returns the operating system's message; `undefined` for other errors */
export function systemReason(error: unknown): string | undefined {
  const { errno } = Object(error) as { errno?: number };
  return errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
}

function codeOfSystem(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

function isDirectory(directory: string): boolean {
  try {
    return statSync(directory).isDirectory();
  } catch {
    return false; // reported as a missing directory
  }
}

async function readWithin(
  handle: FileHandle,
  file: string,
  limitBytes: number,
): Promise<Buffer<ArrayBuffer>> {
  const pieces = [];
  let byteLength = 0;
  for await (const piece of handle.createReadStream({ autoClose: false })) {
    byteLength += piece.length;
    if (byteLength > limitBytes) throw tooLarge(file, limitBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function notFile(file: string, isFolder: boolean): SvcError {
  const what = isFolder ? "it is a directory" : "it is not a file";
  return new SvcError("file_unreadable", `Cannot read "${file}": ${what}`);
}

export function tooLarge(file: string, limitBytes: number): SvcError {
  const message = `Cannot use "${file}": it is larger than the limit of ${bytesText(limitBytes)}`;
  return new SvcError("file_too_large", message);
}
