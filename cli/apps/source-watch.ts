/**
 * Watches the sources of an app for saves, in its directory and those below. Watches directories rather than files,
 * since editors replace a file by a new one. Where a source is a link, the file that it leads to is watched (docs/spec/cli.md#app-dev).
 */
import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from "node:fs";
import path from "node:path";

/** Editors write a file in steps, and several files at a time. */
const QUIET_MS = 25;

/** Files that may be part of an app; editors keep other files beside them. */
const SOURCE = /^(?:manifest\.json|icon_32\.bmp|app\.wasm|[^.].*\.(?:ts|c|cpp|cc|cxx|h|hpp|py|rs|zig))$/;
/** Directories without sources. */
const NO_SOURCES = /^(?:\..*|build|node_modules)$/;

export class SourceWatch {
  /** By the real path of the directory: links may lead to it by several names, or in a circle. */
  readonly #watchers = new Map<string, FSWatcher>();
  /** Those of them that have sources. */
  readonly #sources = new Set<string>();
  /** Files elsewhere to which links among the sources lead, by their directory. */
  readonly #targets = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #changedAt = 0;
  readonly #onChange;

  /**
   * @param onChange called after a pause following changes, with the time of the first change of `performance.now()`
   */
  constructor(directory: string, onChange: (changedAt: number) => void) {
    this.#onChange = onChange;
    this.#watch(realpathSync(directory));
  }

  /** May be called twice. */
  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** @param directory of sources; its real path */
  #watch(directory: string): void {
    if (this.#sources.has(directory)) return;
    this.#sources.add(directory);
    this.#listen(directory);
    for (const name of readdirSync(directory)) this.#follow(directory, name);
  }

  #listen(directory: string): void {
    if (this.#watchers.has(directory)) return;
    const watcher = watch(directory, (_event, name) => this.#check(directory, name ?? ""));
    watcher.on("error", () => this.#forget(directory)); // deleted
    this.#watchers.set(directory, watcher);
  }

  /** @param name of the changed entry */
  #check(directory: string, name: string): void {
    if (this.#targets.get(directory)?.has(name)) this.#note();
    if (!this.#sources.has(directory)) return;
    this.#forget(path.join(directory, name)); // it may be another one now
    const isDirectory = this.#follow(directory, name);
    if (isDirectory || SOURCE.test(name)) this.#note();
  }

  /**
   * Watches what an entry is, or leads to: a directory, or a file elsewhere.
   * @returns whether it is a directory that may have sources
   */
  #follow(directory: string, name: string): boolean {
    if (NO_SOURCES.test(name)) return false;
    try {
      const real = realpathSync(path.join(directory, name));
      if (statSync(real).isDirectory()) {
        this.#watch(real);
        return true;
      }
      if (SOURCE.test(name) && path.dirname(real) !== directory) this.#watchTarget(real);
    } catch {
      // Deleted again, or a link that leads nowhere.
    }
    return false;
  }

  #watchTarget(file: string): void {
    const directory = path.dirname(file);
    const names = this.#targets.get(directory) ?? new Set();
    this.#targets.set(directory, names.add(path.basename(file)));
    this.#listen(directory);
  }

  /** With the directories in it. */
  #forget(directory: string): void {
    for (const [watched, watcher] of this.#watchers) {
      if (watched !== directory && !watched.startsWith(`${directory}${path.sep}`)) continue;
      watcher.close();
      this.#watchers.delete(watched);
      this.#sources.delete(watched);
    }
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
