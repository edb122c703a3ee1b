/**
 * What can be plugged into the console: an SD card and a USB drive, to be read only. A drive may come and
 * go at any time; whatever is done on one that is gone throws an error whose `code` is `drive_gone`. Paths
 * are those of `files.ts`, and links and anything else that is neither file nor directory are not there.
 */
import type { File, FileStatus } from "./files.js";

export interface Drives {
  /** The card's directory, `undefined` while there is none. Asked for anew each time. */
  readonly sd: ReadOnlyDirectory | undefined;
  readonly usb: ReadOnlyDirectory | undefined;
}

/** The reading half of a `Directory`, which is one of these too. */
export interface ReadOnlyDirectory {
  openFile(options: { readonly path: string; readonly mode?: "r" }): ReadOnlyFile;
  openDirectory(options: { readonly path: string }): ReadOnlyDirectory;
  /** Throws when there is nothing of that name. */
  status(path: string): FileStatus;
  /**
   * Names in the directory, without `.` and `..`, in no particular order. Their number is unknown and unlimited,
   * so a caller that keeps them needs a limit.
   */
  scan(path?: string): IterableIterator<string>;
  close(): void;
}

export interface ReadOnlyFile extends Pick<File, "read" | "close"> {
  status(): FileStatus;
}
