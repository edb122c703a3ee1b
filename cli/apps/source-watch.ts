/**
 * Watches the sources of an app for saves, in its directory and those below. Watches directories rather than files,
 * since editors replace a file by a new one.
 */
import { type FSWatcher, readdirSync, watch } from "node:fs";
import path from "node:path";

/** Editors write a file in steps, and several files at a time. */
const QUIET_MS = 25;

/** Files that may be part of an app; editors keep other files beside them. */
const SOURCE = /^(?:manifest\.json|icon_32\.bmp|app\.wasm|[^.].*\.(?:ts|c|cpp|cc|cxx|h|hpp|py|rs|zig))$/;
/** Directories without sources. */
const NO_SOURCES = /^(?:\..*|build|node_modules)$/;

export class SourceWatch {
  #watchers: Map<string, FSWatcher> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #changedAt = 0;
  #onChange;

  /**
   * @param onChange called after a pause following changes, with the time of the first change of `performance.now()`
   */
  constructor(directory: string, onChange: (changedAt: number) => void) {
    this.#onChange = onChange;
    this.#watch(directory);
  }

  /** May be called twice. */
  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(directory: string): void {
    if (this.#watchers.has(directory)) return;
    const watcher = watch(directory, (_event, name) => this.#check(directory, name ?? ""));
    watcher.on("error", () => this.#forget(directory)); // deleted
    this.#watchers.set(directory, watcher);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory() && !NO_SOURCES.test(entry.name)) this.#watch(path.join(directory, entry.name));
    }
  }

  /** @param name of the changed entry */
  #check(directory: string, name: string): void {
    if (SOURCE.test(name)) this.#note();
    else if (!NO_SOURCES.test(name)) this.#watchIfDirectory(path.join(directory, name));
  }

  /** Watches a new directory with files, such as from a checkout. */
  #watchIfDirectory(file: string): void {
    try {
      this.#watch(file);
      this.#note();
    } catch {
      this.#forget(file); // not a directory, or deleted again
    }
  }

  #forget(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }

  #note(): void {
    if (this.#timer === undefined) this.#changedAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onChange(this.#changedAt);
    }, QUIET_MS);
  }
}
