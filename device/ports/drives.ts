/**
 * Removable drives: an SD card, and a USB drive, which is read-only. A drive can be inserted or removed at any time; every call
 * on a removed drive throws an error whose `code` is `drive_gone`. Paths are those of `files.ts`. Only files and
 * directories are visible, no links or special files.
 */
import type { File, FileStatus } from "./files.js";

export interface Drives {
  /** Drives that this hardware can have, whether one is inserted or not. */
  readonly slots: readonly ("sd" | "usb")[];
  /** Root directory of the SD card, `undefined` without a card. Checked at each access. */
  readonly sd: Card | undefined;
  readonly usb: ReadOnlyDirectory | undefined;
}

/** An SD card. Its file system is one that a power cut may damage, as in a camera. */
export interface Card extends ReadOnlyDirectory {
  /**
   * Writes bytes into a file from `position` on, which is at most its size, and returns once they are on the card. Creates
   * the file and its directories if they are missing. Throws with the code `storage_full` if the card is full; the
   * file may be there then, with its old size.
   */
  write(path: string, bytes: Uint8Array, position: number): void;
  /** Deletes a file. @returns false if nothing had that name. Throws for a directory. */
  delete(path: string): boolean;
}

/** The read-only part of `Directory`, which extends it. */
export interface ReadOnlyDirectory {
  openFile(options: { readonly path: string; readonly mode?: "r" }): ReadOnlyFile;
  openDirectory(options: { readonly path: string }): ReadOnlyDirectory;
  /** Throws if nothing has that name. */
  status(path: string): FileStatus;
  /**
   * Names in the directory, without `.` and `..`, in no particular order. Their number is unlimited, so a caller
   * that stores them needs a limit.
   */
  scan(path?: string): IterableIterator<string>;
  close(): void;
}

export interface ReadOnlyFile extends Pick<File, "read" | "close"> {
  status(): FileStatus;
}
