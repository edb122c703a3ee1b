/**
 * Reads files that the user has named, with a size limit, and writes them atomically. Errors get messages by their
 * code.
 */
import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { getSystemErrorMap } from "node:util";
import { replaceFile } from "../tools/replace-file.js";
import { SvcError } from "./svc-error.js";
import { bytesText } from "./terminal/units.js";

const MIB = 1024 * 1024;
/** No app is larger on any console: a build may allow more than the 1 MiB of a console as it comes. */
export const APP_FILE_LIMIT_BYTES = 64 * MIB;
/** The largest flash that a board has is 16 MiB. */
export const FIRMWARE_FILE_LIMIT_BYTES = 64 * MIB;
/** Keys and signatures have a few hundred bytes, a console's list of keys a few thousand. */
export const TEXT_FILE_LIMIT_BYTES = MIB;

/**
 * All of a file, or of a pipe.
 *
 * @param {string} file
 * @param {number} limitBytes
 * @returns {Promise<Buffer>}
 * @throws {SvcError} `file_not_found`, `file_unreadable`, `file_too_large`
 */
export async function readInput(file, limitBytes) {
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

/** The same for a file that is to hold something. @param {string} file @param {number} limitBytes */
export async function readContent(file, limitBytes) {
  const bytes = await readInput(file, limitBytes);
  if (bytes.length === 0) throw new SvcError("file_empty", `Cannot use "${file}": it is empty`);
  return bytes;
}

/** `undefined` where there is no such file. @param {string} file @param {number} limitBytes */
export async function readIfThere(file, limitBytes) {
  try {
    return await readInput(file, limitBytes);
  } catch (error) {
    if (error instanceof SvcError && error.code === "file_not_found") return undefined;
    throw error;
  }
}

/**
 * A file that the user has named: its directory is not made, which would hide a slip.
 *
 * @param {string} file
 * @param {Uint8Array | string} content
 * @throws {SvcError} `file_not_written`
 */
export async function writeOutput(file, content) {
  requireDirectory(file);
  await writeBuilt(file, content);
}

/** A file in a directory of ours, which is made. @param {string} file @param {Uint8Array | string} content */
export async function writeBuilt(file, content) {
  await writing(`"${file}"`, () => replaceFile(file, content));
}

/** @param {string} file which is to be written once there is something to write @throws {SvcError} `file_not_written` */
export function requireDirectory(file) {
  const directory = path.dirname(file);
  if (isDirectory(directory)) return;
  throw new SvcError("file_not_written", `Cannot write "${file}": there is no directory "${directory}"`, {
    advice: "Make it first, or choose another one.",
  });
}

/**
 * @template Result
 * @param {string} file
 * @param {() => Promise<Result>} work
 */
export async function reading(file, work) {
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
 * @template Result
 * @param {string} what such as `"out.png"` or `keys to "keys"`
 * @param {() => Promise<Result>} work which may explain system errors itself
 */
export async function writing(what, work) {
  try {
    return await work();
  } catch (cause) {
    const { code, message } = /** @type {{ code?: string, message: string }} */ (cause);
    const reason = systemReason(cause);
    if (reason !== undefined)
      throw new SvcError("file_not_written", `Cannot write ${what}: ${reason}`, { cause });
    if (code !== undefined) throw cause; // it has one of ours
    throw new SvcError("file_not_written", message, { cause });
  }
}

/** What the operating system says, in words; nothing for other errors. @param {unknown} error @returns {string | undefined} */
export function systemReason(error) {
  const { errno } = /** @type {{ errno?: number }} */ (Object(error));
  return errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
}

/** @param {unknown} error */
function codeOfSystem(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code;
}

/** @param {string} directory */
function isDirectory(directory) {
  try {
    return statSync(directory).isDirectory();
  } catch {
    return false; // which is told as what it comes to: it is not there
  }
}

/** @param {import("node:fs/promises").FileHandle} handle @param {string} file @param {number} limitBytes */
async function readWithin(handle, file, limitBytes) {
  const pieces = [];
  let byteLength = 0;
  for await (const piece of handle.createReadStream({ autoClose: false })) {
    byteLength += piece.length;
    if (byteLength > limitBytes) throw tooLarge(file, limitBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** @param {string} file @param {boolean} isFolder */
function notFile(file, isFolder) {
  const what = isFolder ? "it is a directory" : "it is no file";
  return new SvcError("file_unreadable", `Cannot read "${file}": ${what}`);
}

/** @param {string} file @param {number} limitBytes */
export function tooLarge(file, limitBytes) {
  const message = `Cannot use "${file}": it has more than the ${bytesText(limitBytes)} that such a file may have`;
  return new SvcError("file_too_large", message);
}
