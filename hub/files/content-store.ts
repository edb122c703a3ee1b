/**
 * Content-addressed files, by SHA-256, in `files` below `SVC_HUB_STORAGE_PATH`, which processes on several machines may
 * share. Each file is written under a temporary name, flushed and renamed, so that a reader sees all of it or nothing.
 * It never changes; writing it again has no effect.
 *
 * To keep a row that names a file, put the file inside the transaction that writes the row (file-transaction.ts).
 */
import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../../protocol/fault.js";
import type { FileStore } from "./file-store.js";
import type { FilePart } from "./write-parts.js";

/**
 * Creates a directory and its parents. Node's own `recursive` does not return below a directory that allows no
 * subdirectories and reports ENOENT, such as /proc (Node 20).
 * @throws {Error} if a directory cannot be created
 */
export async function makeDirectory(directory: string): Promise<void> {
  if (await isMade(directory)) return;
  await makeDirectory(path.dirname(directory));
  await mkdir(directory).catch(unlessThere);
}

/** @returns `false` if a parent directory may be missing */
async function isMade(directory: string): Promise<boolean> {
  try {
    await mkdir(directory).catch(unlessThere);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && path.dirname(directory) !== directory) return false;
    throw error;
  }
}

/** A path that is a file fails later, when it is used. */
function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST" && error.code !== "EISDIR") throw error;
}

/** A file of this age without a row is abandoned: writing a file and its row takes less time. */
const LEFTOVER_AGE_MS = 3_600_000;

const TEMPORARY = ".new";

const NAME = /^[0-9a-f]{64}$/;

export class ContentStore implements FileStore {
  readonly #storagePath: string;
  readonly #directory: string;
  readonly #now: () => number;

  private constructor(storagePath: string, directory: string, now: () => number) {
    this.#storagePath = storagePath;
    this.#directory = directory;
    this.#now = now;
  }

  /**
   * Creates the directory if it is missing, and deletes abandoned temporary files.
   * @throws {Error} if the directory cannot be created
   */
  static async open(storagePath: string, now = Date.now): Promise<ContentStore> {
    const directory = path.join(storagePath, "files");
    await mkdir(directory, { recursive: true });
    const old = await olderThan(directory, now() - LEFTOVER_AGE_MS);
    for (const name of old.filter((candidate) => candidate.endsWith(TEMPORARY)))
      await rm(path.join(directory, name), { force: true });
    return new ContentStore(storagePath, directory, now);
  }

  /**
   * Stores `content`, unless it is stored already.
   * @returns its SHA-256 in hexadecimal
   * @throws {Fault} `storage_full`, `busy`; then nothing is stored
   */
  async put(content: Uint8Array): Promise<string> {
    const sha256 = createHash("sha256").update(content).digest("hex");
    const file = this.#file(sha256);
    if ((await sizeOf(file)) !== content.length) await this.#write(file, content);
    await flushDirectory(this.#directory); // needed even if another process has just renamed the file
    return sha256;
  }

  /** @throws {Fault} `file_damaged` if it is missing */
  async part(sha256: string): Promise<FilePart> {
    const file = this.#file(sha256);
    const sizeBytes = await sizeOf(file);
    if (sizeBytes === undefined)
      throw new Fault("file_damaged", `File ${sha256} is not in the hub's storage`);
    return { path: file, start: 0, end: sizeBytes };
  }

  /** @throws {Fault} `file_damaged` if it is missing */
  async read(sha256: string): Promise<Buffer> {
    return readFile((await this.part(sha256)).path);
  }

  /** Deletes a file that no row refers to. No-op if it is missing. */
  async delete(sha256: string): Promise<void> {
    await rm(this.#file(sha256), { force: true });
  }

  /** The SHA-256 of each file that is old enough to be abandoned. */
  async old(): Promise<readonly string[]> {
    const names = await olderThan(this.#directory, this.#now() - LEFTOVER_AGE_MS);
    return names.filter((name) => NAME.test(name));
  }

  /** The id is in `files.hub` of the storage, whole from the first moment on: processes may start at the same time. */
  async owner(hubId: string): Promise<string> {
    const file = path.join(this.#storagePath, "files.hub");
    const own = `${file}.${randomUUID()}`;
    try {
      await writeFile(own, `${hubId}\n`, { flag: "wx" });
      await link(own, file);
      return hubId;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      return (await readFile(file, "utf8")).trim();
    } finally {
      await rm(own, { force: true });
    }
  }

  /** Checks that the store is writable: writes and deletes a temporary file. @throws {Fault} `storage_full` */
  async check(): Promise<void> {
    await this.#withTemporary(new Uint8Array(1), (temporary) => rm(temporary));
  }

  #write(file: string, content: Uint8Array): Promise<void> {
    return this.#withTemporary(content, (temporary) => rename(temporary, file));
  }

  /** Calls `use` with a flushed temporary file that holds `content`. Deletes the file on failure. */
  async #withTemporary(content: Uint8Array, use: (temporary: string) => Promise<void>): Promise<void> {
    const temporary = this.#temporaryFile();
    try {
      await writeFlushed(temporary, content);
      await use(temporary);
    } catch (error) {
      await rm(temporary, { force: true });
      throw storageFault(error);
    }
  }

  #temporaryFile(): string {
    return path.join(this.#directory, `${randomUUID()}${TEMPORARY}`);
  }

  /** Names are our own hashes from the database; another name is a bug. */
  #file(sha256: string): string {
    if (!NAME.test(sha256)) throw new RangeError(`Cannot find a file by "${sha256}"`);
    return path.join(this.#directory, sha256);
  }
}

/** Names of files that have not been changed since `before`. */
async function olderThan(directory: string, before: number): Promise<string[]> {
  const old: string[] = [];
  for (const name of await readdir(directory))
    if (((await modifiedAt(path.join(directory, name))) ?? before) < before) old.push(name);
  return old;
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

/** A new name is durable once its directory is flushed (POSIX). */
async function flushDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}

const FULL: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/** Of a file system that is read-only, fails, or is not there now, such as NFS that is not mounted. */
const UNWRITABLE: ReadonlySet<string | undefined> = new Set([
  ...["EROFS", "EIO", "EACCES", "EPERM", "ENOENT", "ENOTDIR", "ESTALE"],
]);

/** `Retry-After` while the file system takes no writes. */
const BUSY_RETRY_S = 5;

/** @returns `storage_full` or `busy` for the error of a file system that takes no writes, else the error as it is */
export function storageFault(error: unknown): unknown {
  const code = codeOf(error);
  if (FULL.has(code)) return new Fault("storage_full", "The hub's storage is full", { cause: error });
  if (!UNWRITABLE.has(code)) return error;
  return new Fault("busy", "The hub cannot write to its storage of files", {
    cause: error,
    details: { retry_after_s: BUSY_RETRY_S },
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
