/**
 * Storage of one app: values by key, a file each, in the app's own directory, which is deleted with the app.
 * Results are those of the app ABI (docs/spec/app-abi-and-quotas.md#abi-errors): negative values are errors, and no
 * method throws.
 */
import type { Directory, File } from "../../ports/files.js";
import { AppendedFile, isStorageFull, makeDirectories, namesIn, statusOf } from "../storage/stored-files.js";
import { INVALID, IO_ERROR, NO_SPACE, NOT_FOUND } from "./abi-results.js";
import { dataDirectory, SLICE_BYTES, UNFINISHED_VALUE } from "./app-store.js";

/** Storage of an app, all keys together (docs/spec/app-abi-and-quotas.md#storage-limit). */
export const APP_DATA_LIMIT_BYTES = 64 * 1024;

/**
 * Most keys of an app: each takes at least one block of flash
 * (docs/spec/app-abi-and-quotas.md#storage-limit).
 */
export const APP_KEYS_LIMIT = 32;

/**
 * A key is a file name: no slash, no leading dot, at most 32 characters
 * (docs/spec/app-abi-and-quotas.md#storage-keys).
 */
const KEY = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,31}$/;

/** A value that is read piece by piece. */
interface ValueSource {
  readonly byteLength: number;
  /** Fills `into` with the value from `offset` on. @returns the number of bytes read */
  read(into: Uint8Array, offset: number): number;
}

export class AppData {
  readonly #files: Directory;
  readonly #directory: string;

  constructor(files: Directory, appName: string) {
    this.#files = files;
    this.#directory = dataDirectory(appName);
  }

  /** Length in bytes of the value of `key`, or an error. */
  size(key: string): number {
    if (!KEY.test(key)) return INVALID;
    return statusOf(this.#files, this.#path(key))?.size ?? NOT_FOUND;
  }

  /**
   * Opens the value of `key` for reading; the caller closes it.
   * @returns an ABI error if it cannot be opened
   */
  open(key: string): File | number {
    if (!KEY.test(key)) return INVALID;
    if (!statusOf(this.#files, this.#path(key))) return NOT_FOUND;
    return this.#files.openFile({ path: this.#path(key), mode: "r" });
  }

  /** Stores a value atomically: a power cut leaves the old or the new value. */
  write(key: string, value: ValueSource): number {
    if (!KEY.test(key)) return INVALID;
    if (!this.#fits(key, value.byteLength)) return NO_SPACE;
    try {
      makeDirectories(this.#files, this.#directory);
      this.#writeValue(value);
      this.#files.move(this.#path(UNFINISHED_VALUE), this.#path(key));
      return 0;
    } catch (error) {
      if (statusOf(this.#files, this.#path(UNFINISHED_VALUE)))
        this.#files.delete(this.#path(UNFINISHED_VALUE));
      return isStorageFull(error) ? NO_SPACE : IO_ERROR;
    }
  }

  delete(key: string): number {
    if (!KEY.test(key)) return INVALID;
    if (!statusOf(this.#files, this.#path(key))) return NOT_FOUND;
    this.#files.delete(this.#path(key));
    return 0;
  }

  #writeValue(value: ValueSource): void {
    const piece = new Uint8Array(Math.min(SLICE_BYTES, value.byteLength));
    const file = new AppendedFile(this.#files, this.#path(UNFINISHED_VALUE));
    try {
      while (file.byteLength < value.byteLength)
        file.write(piece.subarray(0, value.read(piece, file.byteLength)));
      file.finish();
    } finally {
      file.close();
    }
  }

  /** Whether a value of `byteLength` keeps the app within its limits. */
  #fits(key: string, byteLength: number): boolean {
    const others = namesIn(this.#files, this.#directory).filter(
      (name) => name !== key && name !== UNFINISHED_VALUE,
    );
    const used = others.reduce((sum, name) => sum + this.#files.status(this.#path(name)).size, 0);
    return others.length < APP_KEYS_LIMIT && used + byteLength <= APP_DATA_LIMIT_BYTES;
  }

  #path(key: string): string {
    return `${this.#directory}/${key}`;
  }
}
