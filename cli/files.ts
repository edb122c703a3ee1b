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
/** No app is larger on any console: a build may allow more than the 1 MiB of a console as it comes. */
export const APP_FILE_LIMIT_BYTES = 64 * MIB;
/** The largest flash that a board has is 16 MiB. */
export const FIRMWARE_FILE_LIMIT_BYTES = 64 * MIB;
/** Keys and signatures have a few hundred bytes, a console's list of keys a few thousand. */
export const TEXT_FILE_LIMIT_BYTES = MIB;

/**
 * All of a file, or of a pipe.
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

/** The same for a file that is to hold something. */
export async function readContent(file: string, limitBytes: number): Promise<Buffer> {
  const bytes = await readInput(file, limitBytes);
  if (bytes.length === 0) throw new SvcError("file_empty", `Cannot use "${file}": it is empty`);
  return bytes;
}

/** `undefined` where there is no such file. */
export async function readIfThere(file: string, limitBytes: number): Promise<Buffer | undefined> {
  try {
    return await readInput(file, limitBytes);
  } catch (error) {
    if (error instanceof SvcError && error.code === "file_not_found") return undefined;
    throw error;
  }
}

/**
 * A file that the user has named: its directory is not made, which would hide a slip.
 * @throws {SvcError} `file_not_written`
 */
export async function writeOutput(file: string, content: Uint8Array | string): Promise<void> {
  requireDirectory(file);
  await writeBuilt(file, content);
}

/** A file in a directory of ours, which is made. */
export async function writeBuilt(file: string, content: Uint8Array | string): Promise<void> {
  await writing(`"${file}"`, () => replaceFile(file, content));
}

/**
 * @param file which is to be written once there is something to write
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
    if (code !== undefined) throw cause; // it has one of ours
    throw new SvcError("file_not_written", message, { cause });
  }
}

/** What the operating system says, in words; nothing for other errors. */
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
    return false; // which is told as what it comes to: it is not there
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
