/**
 * Files that the owner's safety needs: the trusted keys, the list of revoked ones, what the owner chose for an app. A
 * reserve of storage is kept for them that apps cannot fill (docs/spec/storage-layout.md#reserve): a file of its size,
 * which is deleted when one of these operations finds the medium full, and made again right after. So apps pay nothing
 * for it, and no operation of theirs comes between.
 */
import type { Directory, File, FileStatus } from "../../ports/files.js";
import { isStorageFull, makeDirectories, statusOf } from "./stored-files.js";

/** For the largest file of keys, a list of revoked keys, and the blocks that a file system needs beside them. */
const RESERVE_BYTES = 64 * 1024;
/** Of flash; a multiple of it is reserved. */
const BLOCK_BYTES = 4096;
const RESERVE_DIRECTORY = "hub";
const RESERVE = `${RESERVE_DIRECTORY}/.reserve`;

export class ReservedFiles implements Directory {
  readonly #files: Directory;
  #isRestoring = false;

  /** Makes the reserve, or as much of it as there is room for. */
  constructor(files: Directory) {
    this.#files = files;
    this.#restore();
  }

  openFile(options: { readonly path: string; readonly mode?: "r" | "r+" | "w" | "w+" }): File {
    return new ReservedFile(
      this.#withReserve(() => this.#files.openFile(options)),
      (operation) => this.#withReserve(operation),
    );
  }

  openDirectory(options: { readonly path: string }): Directory {
    return this.#files.openDirectory(options);
  }

  delete(path: string): boolean {
    const isDeleted = this.#withReserve(() => this.#files.delete(path));
    this.#restoreSoon();
    return isDeleted;
  }

  move(from: string, to: string): void {
    this.#withReserve(() => this.#files.move(from, to));
  }

  status(path: string): FileStatus {
    return this.#files.status(path);
  }

  createDirectory(path: string): boolean {
    return this.#withReserve(() => this.#files.createDirectory(path));
  }

  scan(path?: string): IterableIterator<string> {
    return path === undefined ? this.#files.scan() : this.#files.scan(path);
  }

  close(): void {
    this.#files.close();
  }

  #withReserve<Result>(operation: () => Result): Result {
    try {
      return operation();
    } catch (error) {
      if (!isStorageFull(error) || !this.#files.delete(RESERVE)) throw error;
      this.#restoreSoon();
      return operation();
    }
  }

  /** Once the operations that belong together are done, none of which waits. */
  #restoreSoon(): void {
    if (this.#isRestoring) return;
    this.#isRestoring = true;
    void Promise.resolve().then(() => this.#restore());
  }

  #restore(): void {
    this.#isRestoring = false;
    const present = statusOf(this.#files, RESERVE)?.size;
    if (present === RESERVE_BYTES) return;
    try {
      makeDirectories(this.#files, RESERVE_DIRECTORY);
      const file = this.#files.openFile({ path: RESERVE, mode: present === undefined ? "w" : "r+" });
      try {
        for (let size = present ?? 0; size < RESERVE_BYTES; size += BLOCK_BYTES)
          file.setSize(size + BLOCK_BYTES);
        file.flush();
      } finally {
        file.close();
      }
    } catch {
      // There is room for a part only.
    }
  }
}

class ReservedFile implements File {
  readonly #file: File;
  readonly #withReserve: <Result>(operation: () => Result) => Result;

  constructor(file: File, withReserve: <Result>(operation: () => Result) => Result) {
    this.#file = file;
    this.#withReserve = withReserve;
  }

  read(into: Uint8Array, position: number): number {
    return this.#file.read(into, position);
  }

  write(bytes: Uint8Array, position: number): void {
    this.#withReserve(() => this.#file.write(bytes, position));
  }

  status(): FileStatus {
    return this.#file.status();
  }

  setSize(byteLength: number): void {
    this.#withReserve(() => this.#file.setSize(byteLength));
  }

  flush(): void {
    this.#withReserve(() => this.#file.flush());
  }

  close(): void {
    this.#file.close();
  }
}
