/** `svc/directory`: path handling that the directories of all media share (ECMA-419 file storage). */
import type { FileStatus } from "../../../../ports/files.js";

export class Status implements FileStatus {
  readonly #isDirectory: boolean;
  readonly #size: number;

  /** @param size in bytes, or -1 for a directory */
  constructor(size: number) {
    this.#isDirectory = size < 0;
    this.#size = Math.max(size, 0);
  }
  get size(): number {
    return this.#size;
  }
  isFile(): boolean {
    return !this.#isDirectory;
  }
  isDirectory(): boolean {
    return this.#isDirectory;
  }
}

/** Resolves relative paths against its own path until it is closed. */
export abstract class Directory {
  /** Path and a slash, `""` for the root, `undefined` once closed. */
  #prefix: string | undefined;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }
  /** The path of an entry, from the root of the medium; without `path`, that of the directory itself. */
  protected resolve(path?: string): string {
    if (this.#prefix === undefined) throw new Error("Cannot use a closed directory");
    if (path === undefined) return this.#prefix.slice(0, -1);
    if (typeof path !== "string" || path === "") throw new TypeError("A path is a string, and not empty");
    return this.#prefix + path;
  }
  /** The prefix for the directory at `path`. */
  protected prefixOf(path: string): string {
    if (!this.status(path).isDirectory()) throw new Error(`Cannot open "${path}": Not a directory`);
    return `${this.resolve(path)}/`;
  }
  abstract status(path: string): FileStatus;
  close(): void {
    this.#prefix = undefined;
  }
}
