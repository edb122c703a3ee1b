/**
 * Removable drives, read-only: an SD card and a USB drive. A drive can be inserted or removed at any time; every call
 * on a removed drive throws an error whose `code` is `drive_gone`. Paths are those of `files.ts`. Only files and
 * directories are visible, no links or special files.
 */
import type { File, FileStatus } from "./files.js";

export interface Drives {
  /** Drives that this hardware can have, whether one is inserted or not. */
  readonly slots: readonly ("sd" | "usb")[];
  /** Root directory of the SD card, `undefined` without a card. Checked at each access. */
  readonly sd: ReadOnlyDirectory | undefined;
  readonly usb: ReadOnlyDirectory | undefined;
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
