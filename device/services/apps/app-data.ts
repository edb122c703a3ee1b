/**
 * Storage of one app: values by key, a file each, in the app's own directory, which is deleted with the app. Values are
 * replaced whole, or written in place; both count towards the same limits.
 * Results are those of the app ABI (docs/spec/app-abi-and-quotas.md#abi-errors): negative values are errors, and no
 * method throws.
 */
import type { Directory, File } from "../../ports/files.js";
import { AppendedFile, isStorageFull, makeDirectories, namesIn, statusOf } from "../storage/stored-files.js";
import { INVALID, IO_ERROR, NO_SPACE, NOT_FOUND } from "./abi-results.js";
import { APP_DATA_LIMIT_BYTES, APP_KEY, APP_KEYS_LIMIT } from "./app-data-limits.js";
import { dataDirectory, SLICE_BYTES, UNFINISHED_VALUE } from "./app-store.js";

/** The offset that means the end of a value. */
export const AT_END = -1;

/** A value that is read piece by piece. */
export interface ValueSource {
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
    if (!APP_KEY.test(key)) return INVALID;
    return statusOf(this.#files, this.#path(key))?.size ?? NOT_FOUND;
  }

  /**
   * Opens the value of `key` for reading; the caller closes it.
   * @returns an ABI error if it cannot be opened
   */
  open(key: string): File | number {
    if (!APP_KEY.test(key)) return INVALID;
    if (!statusOf(this.#files, this.#path(key))) return NOT_FOUND;
    return this.#files.openFile({ path: this.#path(key), mode: "r" });
  }

  /** Stores a value atomically: a power cut leaves the old or the new value. */
  write(key: string, value: ValueSource): number {
    if (!APP_KEY.test(key)) return INVALID;
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

  /**
   * Writes a part of a value in place, from `offset` on. A power cut leaves the bytes before `offset` as they are, each
   * overwritten byte old or new, and of appended bytes the first ones.
   * @param offset at most the length of the value, or -1: at its end
   */
  writeAt(key: string, offset: number, part: ValueSource): number {
    if (!APP_KEY.test(key)) return INVALID;
    const size = statusOf(this.#files, this.#path(key))?.size;
    const end = size ?? 0;
    const at = offset === AT_END ? end : offset;
    if (at < 0 || at > end) return INVALID;
    if (!this.#fits(key, Math.max(end, at + part.byteLength))) return NO_SPACE;
    try {
      makeDirectories(this.#files, this.#directory);
      this.#writePart(key, size, at, part);
      return 0;
    } catch (error) {
      if (size === undefined && statusOf(this.#files, this.#path(key))) this.#files.delete(this.#path(key));
      return isStorageFull(error) ? NO_SPACE : IO_ERROR;
    }
  }

  /** All keys in alphabetical order. */
  get keys(): readonly string[] {
    return namesIn(this.#files, this.#directory)
      .filter((name) => APP_KEY.test(name))
      .sort();
  }

  delete(key: string): number {
    if (!APP_KEY.test(key)) return INVALID;
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

  /** @param size length of the value, `undefined` if there is none */
  #writePart(key: string, size: number | undefined, at: number, part: ValueSource): void {
    const file = this.#files.openFile({ path: this.#path(key), mode: size === undefined ? "w" : "r+" });
    const overwritten = Math.min(part.byteLength, (size ?? 0) - at);
    try {
      // What is appended first: if the medium is full, nothing has been overwritten.
      copyPart(part, overwritten, part.byteLength, file, at);
      copyPart(part, 0, overwritten, file, at);
      file.flush();
    } catch (error) {
      if (size !== undefined) file.setSize(size);
      throw error;
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

/** Writes the bytes `from` to `to` of `part` to a file, where `part` begins `at` a position. */
function copyPart(part: ValueSource, from: number, to: number, file: File, at: number): void {
  const piece = new Uint8Array(Math.min(SLICE_BYTES, to - from));
  for (let offset = from; offset < to; ) {
    const bytes = piece.subarray(0, Math.min(piece.length, to - offset));
    part.read(bytes, offset);
    file.write(bytes, at + offset);
    offset += bytes.length;
  }
}
