/** The Directory and File ports over the emulated file system (emulated-medium.ts). */
import type { Directory, File, FileStatus } from "../../device/ports/files.js";
import { EmulatedContent } from "./emulated-content.js";
import { type EmulatedEntry, EmulatedFolder, type EmulatedMedium } from "./emulated-medium.js";

/** Largest file size and position in littlefs (LFS_FILE_MAX). */
const MAXIMUM_POSITION = 2 ** 31 - 1;

const MODES = Object.freeze({
  r: { isReadable: true, isWritable: false, isEmptied: false },
  "r+": { isReadable: true, isWritable: true, isEmptied: false },
  w: { isReadable: false, isWritable: true, isEmptied: true },
  "w+": { isReadable: true, isWritable: true, isEmptied: true },
});
type Mode = keyof typeof MODES;

class EmulatedFile implements File {
  readonly #medium: EmulatedMedium;
  readonly #run: number;
  readonly #mode: (typeof MODES)[Mode];
  #content: EmulatedContent | undefined;

  constructor(medium: EmulatedMedium, content: EmulatedContent, mode: Mode) {
    this.#medium = medium;
    this.#run = medium.power.run;
    this.#content = content;
    this.#mode = MODES[mode];
  }

  read(into: Uint8Array, position: number): number {
    requirePosition(position);
    const content = this.#open();
    if (!this.#mode.isReadable) throw new Error("Cannot read what was opened to write");
    return content.read(into, position);
  }

  write(bytes: Uint8Array, position: number): void {
    requirePosition(position);
    this.#medium.write(this.#openToWrite(), bytes, position);
  }

  setSize(byteLength: number): void {
    requirePosition(byteLength);
    this.#medium.setSize(this.#openToWrite(), byteLength);
  }

  flush(): void {
    this.#medium.flush(this.#open());
  }

  status(): FileStatus {
    return statusOf(this.#open());
  }

  close(): void {
    this.#content = undefined;
  }

  #open(): EmulatedContent {
    this.#medium.power.require(this.#run);
    if (!this.#content) throw new Error("Cannot use a closed file");
    return this.#content;
  }

  #openToWrite(): EmulatedContent {
    const content = this.#open();
    if (!this.#mode.isWritable) throw new Error("Cannot change what was opened to read");
    return content;
  }
}

export class EmulatedDirectory implements Directory {
  readonly #medium: EmulatedMedium;
  readonly #run: number;
  /** Path with a trailing slash; `""` for the root; `undefined` once closed. */
  #prefix: string | undefined;

  constructor(medium: EmulatedMedium, prefix = "") {
    this.#medium = medium;
    this.#run = medium.power.run;
    this.#prefix = prefix;
  }

  openFile({ path, mode = "r" }: { readonly path: string; readonly mode?: Mode }): File {
    if (!Object.hasOwn(MODES, mode)) throw new RangeError(`Cannot open "${path}" in the mode "${mode}"`);
    const at = this.#resolve(path);
    const found = this.#medium.find(at);
    if (found instanceof EmulatedFolder) throw new Error(`Cannot open "${path}": Is a directory`);
    if (!MODES[mode].isEmptied) return new EmulatedFile(this.#medium, found ?? missing("open", path), mode);
    if (found && found.size > 0) this.#medium.setSize(found, 0);
    return new EmulatedFile(this.#medium, found ?? this.#medium.create(at), mode);
  }

  openDirectory({ path }: { readonly path: string }): Directory {
    if (!this.status(path).isDirectory()) throw new Error(`Cannot open "${path}": Not a directory`);
    return new EmulatedDirectory(this.#medium, `${this.#resolve(path)}/`);
  }

  delete(path: string): boolean {
    return this.#medium.delete(this.#resolve(path));
  }

  move(from: string, to: string): void {
    this.#medium.move(this.#resolve(from), this.#resolve(to));
  }

  status(path: string): FileStatus {
    return statusOf(this.#medium.find(this.#resolve(path)) ?? missing("look at", path));
  }

  createDirectory(path: string): boolean {
    const at = this.#resolve(path);
    const found = this.#medium.find(at);
    if (found instanceof EmulatedContent) throw new Error(`Cannot create directory "${path}": File exists`);
    if (!found) this.#medium.createFolder(at);
    return !found;
  }

  scan(path?: string): IterableIterator<string> {
    const at = path === undefined ? this.#open().slice(0, -1) : this.#resolve(path);
    const folder = this.#medium.find(at);
    if (!(folder instanceof EmulatedFolder)) throw new Error(`Cannot list "${at}": Not a directory`);
    return [...folder.entries.keys()].values();
  }

  close(): void {
    this.#prefix = undefined;
  }

  #resolve(path: string): string {
    if (typeof path !== "string" || path === "") throw new TypeError("A path is a string, and not empty");
    return this.#open() + path;
  }

  #open(): string {
    this.#medium.power.require(this.#run);
    if (this.#prefix === undefined) throw new Error("Cannot use a closed directory");
    return this.#prefix;
  }
}

function statusOf(entry: EmulatedEntry): FileStatus {
  const isDirectory = entry instanceof EmulatedFolder;
  const size = isDirectory ? 0 : entry.size;
  return { size, isFile: () => !isDirectory, isDirectory: () => isDirectory };
}

function missing(verb: string, path: string): never {
  throw new Error(`Cannot ${verb} "${path}": No such file or directory`);
}

function requirePosition(position: number): void {
  if (!(position >= 0 && position <= MAXIMUM_POSITION)) throw new RangeError("bad position");
}
