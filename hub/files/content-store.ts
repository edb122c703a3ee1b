/**
 * Files by the SHA-256 of their content, in `files` below `SVC_HUB_STORAGE_PATH`, which processes on several machines
 * may share. A file is written to a temporary name, flushed and renamed, so that whoever finds it finds all of it; it
 * never changes, and writing it again changes nothing.
 *
 * Whoever keeps a row that names a file puts the file inside the transaction that writes the row, after the statement
 * that a rival would fail at: then who loses a race has written no file, and there is none to delete that the winner
 * may just be counting on.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../../protocol/fault.js";

export interface StoredFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Files that were being written when a process ended. Nobody writes one for that long. */
const LEFTOVER_AGE_MS = 3_600_000;

const TEMPORARY = ".new";

export class ContentStore {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Makes its directory where it is missing, and clears away what was left half-written.
   * @throws {Error} where it cannot
   */
  static async open(storagePath: string, now = Date.now): Promise<ContentStore> {
    const directory = path.join(storagePath, "files");
    await mkdir(directory, { recursive: true });
    await clearLeftovers(directory, now() - LEFTOVER_AGE_MS);
    return new ContentStore(directory);
  }

  /**
   * Keeps `content`, unless it is there already.
   * @returns its SHA-256 in hexadecimal
   * @throws {Fault} `storage_full`; nothing is left then
   */
  async put(content: Uint8Array): Promise<string> {
    const sha256 = createHash("sha256").update(content).digest("hex");
    const file = this.#file(sha256);
    if ((await sizeOf(file)) !== content.length) await this.#write(file, content);
    await flushDirectory(this.#directory); // also where another process has just renamed it
    return sha256;
  }

  /**
   * The path of a file that is there, to be opened for reading.
   * @throws {Fault} `file_damaged` where it is not
   */
  async open(sha256: string): Promise<StoredFile> {
    const file = this.#file(sha256);
    const sizeBytes = await sizeOf(file);
    if (sizeBytes === undefined)
      throw new Fault("file_damaged", `File ${sha256} is not in the hub's storage`);
    return { path: file, sizeBytes };
  }

  /** Deletes it, where nothing refers to it any more. What is not there is no error. */
  async delete(sha256: string): Promise<void> {
    await rm(this.#file(sha256), { force: true });
  }

  /** Writes a few bytes and deletes them, to see that it can. @throws {Fault} `storage_full` */
  async check(): Promise<void> {
    await this.#withTemporary(new Uint8Array(1), (temporary) => rm(temporary));
  }

  #write(file: string, content: Uint8Array): Promise<void> {
    return this.#withTemporary(content, (temporary) => rename(temporary, file));
  }

  /** Has a file used that holds `content` and is flushed; there is none where any of it fails. */
  async #withTemporary(content: Uint8Array, use: (temporary: string) => Promise<void>): Promise<void> {
    const temporary = this.#temporaryFile();
    try {
      await writeFlushed(temporary, content);
      await use(temporary);
    } catch (error) {
      await rm(temporary, { force: true });
      throw asFault(error);
    }
  }

  #temporaryFile(): string {
    return path.join(this.#directory, `${randomUUID()}${TEMPORARY}`);
  }

  /** Names come from the database, where our own hashes stand; a path that leads elsewhere is a bug. */
  #file(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new RangeError(`Cannot find a file by "${sha256}"`);
    return path.join(this.#directory, sha256);
  }
}

async function clearLeftovers(directory: string, before: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    if (name.endsWith(TEMPORARY) && ((await modifiedAt(file)) ?? before) < before)
      await rm(file, { force: true });
  }
}

async function modifiedAt(file: string): Promise<number | undefined> {
  return (await statOf(file))?.mtimeMs;
}

async function sizeOf(file: string): Promise<number | undefined> {
  return (await statOf(file))?.size;
}

async function statOf(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function writeFlushed(file: string, content: Uint8Array): Promise<void> {
  await using handle = await open(file, "wx");
  await handle.writeFile(content);
  await handle.sync();
}

/** POSIX: a new name lasts once its directory has been flushed. */
async function flushDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}

const FULL: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

function asFault(error: unknown): unknown {
  if (!FULL.has(codeOf(error))) return error;
  return new Fault("storage_full", "The hub's storage is full", { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
