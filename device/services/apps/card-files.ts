/**
 * Files of one app on the SD card: those below `apps/NAME` (docs/spec/app-abi-and-quotas.md#card-own). Negative
 * results are errors of the app ABI. A card may be removed at any time: methods throw if that happens meanwhile.
 */
import { isPortableFileName } from "../../../protocol/manifest/app-name.js";
import type { Card, Drives, ReadOnlyFile } from "../../ports/drives.js";
import { isStorageFull, statusOf } from "../storage/stored-files.js";
import { INVALID, IO_ERROR, NO_HARDWARE, NO_SPACE, NOT_FOUND } from "./abi-results.js";
import { AT_END, type ValueSource } from "./app-data.js";
import { appDirectory, SLICE_BYTES } from "./app-store.js";

/**
 * Limits of a list, whose content a stranger may choose, and of what an app creates in a directory
 * (docs/spec/app-abi-and-quotas.md#card-list).
 */
const NAMES_LIMIT = 64;
/** Each entry takes an access to the card. */
const ENTRIES_LIMIT = 1024;

/** Names of a path, and so directories below the app's own. */
const DEPTH_LIMIT = 4;
const NAME_LIMIT_CHARACTERS = 64;
/** What FAT has in no name. Not as a class that excludes them: XS takes one that excludes U+0000 for one that excludes nothing. */
const FORBIDDEN = /["*/:<>?|\\\u0000-\u001f\u007f]/;

/** Largest file that an app writes (docs/spec/app-abi-and-quotas.md#card-write). */
const WRITTEN_LIMIT_BYTES = 16 * 1024 * 1024;

/** The size of the largest file: an `i32`. */
const SIZE_LIMIT_BYTES = 0x7fff_ffff;

export class CardFiles {
  readonly #drives: Drives;
  readonly #directory: string;

  constructor(drives: Drives, appName: string) {
    this.#drives = drives;
    this.#directory = appDirectory(appName);
  }

  /** Length of a file in bytes, or an error. */
  size(path: string): number {
    const found = this.#find(path);
    if (typeof found === "number") return found;
    const size = statusOf(found, this.#at(path))?.size ?? 0;
    return size > SIZE_LIMIT_BYTES ? INVALID : size;
  }

  /** Opens a file for reading; the caller closes it. @returns an ABI error if there is none */
  open(path: string): ReadOnlyFile | number {
    const found = this.#find(path);
    return typeof found === "number" ? found : found.openFile({ path: this.#at(path) });
  }

  /**
   * Calls back with the names in a directory, in no particular order, with a slash after those of directories.
   * @param path `""` for the app's own
   * @param onMore called if the limits leave out others
   * @returns 0 or an error
   */
  list(path: string, onName: (name: string) => void, onMore: () => void): number {
    const isOwn = path === "";
    const at = isOwn ? this.#directory : this.#at(path);
    if (!isOwn && !isPath(path)) return INVALID;
    const card = this.#drives.sd;
    if (!card) return NO_HARDWARE;
    if (!statusOf(card, at)?.isDirectory()) return NOT_FOUND;
    let names = 0;
    let entries = 0;
    for (const name of card.scan(at)) {
      const isRead = entries++ < ENTRIES_LIMIT;
      const status = isRead && isName(name) ? statusOf(card, `${at}/${name}`) : undefined;
      if (isRead && !status) continue;
      if (!status || names++ === NAMES_LIMIT) {
        onMore();
        break;
      }
      onName(status.isDirectory() ? `${name}/` : name);
    }
    return 0;
  }

  /**
   * Writes the beginning of `part`, so that no call takes long: creates a file that is missing.
   * @param offset at most the size of the file, or -1: at its end
   * @returns the number of bytes written, or an error
   */
  write(path: string, offset: number, part: ValueSource): number {
    if (!isPath(path)) return INVALID;
    const card = this.#drives.sd;
    if (!card) return NO_HARDWARE;
    const status = statusOf(card, this.#at(path));
    if (status?.isDirectory()) return NOT_FOUND;
    const size = status?.size ?? 0;
    const position = offset === AT_END ? size : offset;
    if (position < 0 || position > size) return INVALID;
    const bytes = new Uint8Array(Math.min(SLICE_BYTES, part.byteLength));
    if (position + bytes.length > WRITTEN_LIMIT_BYTES) return NO_SPACE;
    part.read(bytes, 0);
    try {
      const obstacle = status ? 0 : this.#obstacleTo(card, path);
      if (obstacle) return obstacle;
      card.write(this.#at(path), bytes, position);
      return bytes.length;
    } catch (error) {
      if (!isStorageFull(error)) return IO_ERROR;
      if (!status) card.delete(this.#at(path));
      return NO_SPACE;
    }
  }

  delete(path: string): number {
    const found = this.#find(path);
    if (typeof found === "number") return found;
    return found.delete(this.#at(path)) ? 0 : NOT_FOUND;
  }

  /** What keeps a missing file from being created: a file on the way to it, or a full directory. 0 if nothing does. */
  #obstacleTo(card: Card, path: string): number {
    let directory = this.#directory;
    let status = statusOf(card, directory);
    for (const name of path.split("/")) {
      if (!status) break;
      if (status.isFile()) return NOT_FOUND;
      const next = `${directory}/${name}`;
      status = statusOf(card, next);
      if (status) directory = next;
    }
    let names = 0;
    let entries = 0;
    if (statusOf(card, directory))
      for (const name of card.scan(directory)) {
        if (isName(name)) names++;
        if (names === NAMES_LIMIT || ++entries === ENTRIES_LIMIT) return NO_SPACE;
      }
    return 0;
  }

  /** The card, if it has that file. */
  #find(path: string) {
    if (!isPath(path)) return INVALID;
    const card = this.#drives.sd;
    if (!card) return NO_HARDWARE;
    return statusOf(card, this.#at(path))?.isFile() ? card : NOT_FOUND;
  }

  #at(path: string): string {
    return `${this.#directory}/${path}`;
  }
}

function isPath(path: string): boolean {
  const names = path.split("/");
  return names.length <= DEPTH_LIMIT && names.every(isName);
}

/** No leading dot, so neither `.` nor `..`; and a name that the card's file system keeps as it is. */
function isName(name: string): boolean {
  const isShort = name.length > 0 && name.length <= NAME_LIMIT_CHARACTERS;
  return isShort && !name.startsWith(".") && !FORBIDDEN.test(name) && isPortableFileName(name);
}
