/**
 * The emulated file system: a tree of names, block accounting as in littlefs, and a power supply (emulated-power.ts)
 * that can fail at each change. emulated-files.ts implements the Directory and File ports over it.
 */
import type { CapacityFacts } from "../../device/ports/system.js";
import { EmulatedContent } from "./emulated-content.js";
import type { EmulatedPower, Losing } from "./emulated-power.js";

/** littlefs allocates whole blocks for the content of a file, and two for a directory. */
const BLOCK_BYTES = 4096;
const DIRECTORY_BLOCKS = 2;

export class EmulatedFolder {
  readonly entries = new Map<string, EmulatedEntry>();
}
export type EmulatedEntry = EmulatedFolder | EmulatedContent;

/** The parent folder and name of a path; the entry itself can be missing. */
interface Place {
  readonly folder: EmulatedFolder;
  readonly name: string;
}

export class EmulatedMedium implements Losing {
  readonly power: EmulatedPower;
  readonly #root = new EmulatedFolder();
  readonly #unsafe = new Set<EmulatedContent>();
  readonly #totalBlocks: number;

  constructor(power: EmulatedPower, capacityBytes: number) {
    this.power = power;
    this.#totalBlocks = Math.floor(capacityBytes / BLOCK_BYTES);
    power.register(this);
  }

  capacity(): CapacityFacts {
    const freeBlocks = this.#totalBlocks - blocksBelow(this.#root) - DIRECTORY_BLOCKS;
    return { totalBytes: this.#totalBlocks * BLOCK_BYTES, freeBytes: freeBlocks * BLOCK_BYTES };
  }

  /** Returns the entry at `path` (`""` is the root); `undefined` if there is none. */
  find(path: string): EmulatedEntry | undefined {
    if (path === "") return this.#root;
    const { folder, name } = this.#place(path);
    return folder.entries.get(name);
  }

  create(path: string): EmulatedContent {
    const { folder, name } = this.#place(path);
    this.power.count();
    const content = new EmulatedContent();
    folder.entries.set(name, content);
    return content;
  }

  createFolder(path: string): void {
    const { folder, name } = this.#place(path);
    this.#requireRoom(DIRECTORY_BLOCKS);
    this.power.count();
    folder.entries.set(name, new EmulatedFolder());
  }

  delete(path: string): boolean {
    const { folder, name } = this.#place(path);
    const entry = folder.entries.get(name);
    if (!entry) return false;
    if (entry instanceof EmulatedFolder && entry.entries.size > 0)
      throw new Error(`Cannot delete "${path}": Directory not empty`);
    this.power.count();
    return folder.entries.delete(name);
  }

  move(from: string, to: string): void {
    const source = this.#place(from);
    const target = this.#place(to);
    const entry = source.folder.entries.get(source.name);
    const replaced = target.folder.entries.get(target.name);
    if (!entry) throw new Error(`Cannot move "${from}": No such file or directory`);
    if (entry === replaced) return;
    if (replaced && (replaced instanceof EmulatedFolder || entry instanceof EmulatedFolder))
      throw new Error(`Cannot move "${from}" over "${to}"`);
    if (`${to}/`.startsWith(`${from}/`)) throw new Error(`Cannot move "${from}" into itself`);
    this.power.count();
    source.folder.entries.delete(source.name);
    target.folder.entries.set(target.name, entry);
  }

  write(content: EmulatedContent, bytes: Uint8Array, position: number): void {
    if (bytes.length === 0) return;
    this.#requireGrowth(content, Math.max(content.size, position + bytes.length));
    this.#unsafe.add(content);
    this.power.count((choose) => content.write(bytes.subarray(0, choose(bytes.length)), position));
    content.write(bytes, position);
  }

  setSize(content: EmulatedContent, size: number): void {
    this.#requireGrowth(content, size);
    this.power.count();
    this.#unsafe.add(content);
    content.setSize(size);
  }

  flush(content: EmulatedContent): void {
    this.power.count();
    content.flush();
    this.#unsafe.delete(content);
  }

  lose(choose: (maximum: number) => number): void {
    for (const content of this.#unsafe) {
      for (let count = choose(content.changeCount); count > 0; count--) content.undoNewest();
      content.flush();
    }
    this.#unsafe.clear();
  }

  #place(path: string): Place {
    const names = path.split("/");
    const name = names.pop();
    if (!name || [...names, name].some(isBadName)) throw new Error(`Cannot use the path "${path}"`);
    let folder = this.#root;
    for (const step of names) {
      const next = folder.entries.get(step);
      if (!(next instanceof EmulatedFolder)) throw new Error(`Cannot find "${path}": Not a directory`);
      folder = next;
    }
    return { folder, name };
  }

  #requireGrowth(content: EmulatedContent, size: number): void {
    this.#requireRoom(blocksFor(size) - blocksFor(content.size));
  }

  #requireRoom(blocks: number): void {
    if (blocks <= 0 || blocks * BLOCK_BYTES <= this.capacity().freeBytes) return;
    throw Object.assign(new Error("Cannot store more: No space left"), { code: "storage_full" });
  }
}

function blocksFor(size: number): number {
  return Math.ceil(size / BLOCK_BYTES);
}

function blocksBelow(folder: EmulatedFolder): number {
  let blocks = 0;
  for (const entry of folder.entries.values())
    blocks += entry instanceof EmulatedFolder ? DIRECTORY_BLOCKS + blocksBelow(entry) : blocksFor(entry.size);
  return blocks;
}

function isBadName(name: string): boolean {
  return name === "" || name === "." || name === ".." || name.includes("\u0000");
}
