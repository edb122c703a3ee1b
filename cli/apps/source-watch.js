/**
 * Watches the sources of an app for saves, in its directory and those below. Watches directories rather than files,
 * since editors replace a file by a new one.
 */
import { readdirSync, watch } from "node:fs";
import path from "node:path";

/** Editors write a file in steps, and several files at a time. */
const QUIET_MS = 25;

/** What may be part of an app; editors keep files of their own beside it. */
const SOURCE = /^(?:manifest\.json|icon_32\.bmp|[^.].*\.(?:ts|c|h))$/;
/** What no source is in. */
const NO_SOURCES = /^(?:\..*|build|node_modules)$/;

export class SourceWatch {
  /** @type {Map<string, import("node:fs").FSWatcher>} */
  #watchers = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #changedAt = 0;
  #onChange;

  /**
   * @param {string} directory
   * @param {(changedAt: number) => void} onChange called once it is quiet after changes, with when they began, as
   *   `performance.now()` tells it
   */
  constructor(directory, onChange) {
    this.#onChange = onChange;
    this.#watch(directory);
  }

  /** May be called twice. */
  close() {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** @param {string} directory */
  #watch(directory) {
    if (this.#watchers.has(directory)) return;
    const watcher = watch(directory, (_event, name) => this.#look(directory, name ?? ""));
    watcher.on("error", () => this.#forget(directory)); // it is gone
    this.#watchers.set(directory, watcher);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory() && !NO_SOURCES.test(entry.name)) this.#watch(path.join(directory, entry.name));
    }
  }

  /** @param {string} directory @param {string} name of what has changed in it */
  #look(directory, name) {
    if (SOURCE.test(name)) this.#note();
    else if (!NO_SOURCES.test(name)) this.#lookForDirectory(path.join(directory, name));
  }

  /** A directory that has come with its files, such as by a checkout. @param {string} file */
  #lookForDirectory(file) {
    try {
      this.#watch(file);
      this.#note();
    } catch {
      this.#forget(file); // it is no directory, or gone again
    }
  }

  /** @param {string} directory */
  #forget(directory) {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }

  #note() {
    if (this.#timer === undefined) this.#changedAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#onChange(this.#changedAt);
    }, QUIET_MS);
  }
}
