/**
 * The installed apps on the medium. Installing, replacing and uninstalling each have one commit point, a single rename
 * or delete of `app.json`; files that a power cut leaves beside it are removed at the next boot, and files that a
 * failure leaves by the operation that fails.
 */
import type { VariantArchitecture } from "../../../protocol/architecture.js";
import { Fault } from "../../../protocol/fault.js";
import type { Manifest } from "../../../protocol/manifest/manifest.js";
import type { Directory } from "../../ports/files.js";
import type { Logger } from "../logs/log.js";
import { readWhole, replaceFile } from "../storage/appended-file.js";
import { storageFault } from "../storage/storage-fault.js";
import { deleteTree, makeDirectories, namesIn, statusOf } from "../storage/tree.js";
import {
  type AppRecord,
  decodeRecord,
  encodeRecord,
  filesOf,
  type StoredModule,
  type StoredVariant,
} from "./app-record.js";
import { INSTALLED_APPS_LIMIT, RECORD_LIMIT_BYTES } from "./limits.js";
import type { Publisher } from "./may-replace.js";
import { APPS, appDirectory, KEPT_NAMES, recordPath, STAGING, unfinishedValuePath } from "./paths.js";

/** An app that is complete and verified, in files that no record owns yet. */
export interface StagedApp {
  readonly manifest: Manifest;
  readonly isManifestSigned: boolean;
  readonly module: Omit<StoredModule, "file"> & { readonly path: string };
  /** Paths of the other files. */
  readonly icon?: string;
  readonly variants: readonly StagedVariant[];
  /** Left out: it has no signature. */
  readonly publisher?: Publisher | undefined;
}

export interface StagedVariant {
  readonly architecture: VariantArchitecture;
  readonly path: string;
  /** A key of role `native` signed it. */
  readonly isNative?: boolean;
}

export class AppStore {
  readonly #files: Directory;
  readonly #logger: Logger;
  /** Installed names; what they stand for stays on the medium. */
  readonly #names = new Set<string>();

  /** Clears away what the last run did not finish. */
  constructor(files: Directory, logger: Logger) {
    this.#files = files;
    this.#logger = logger;
    for (const name of namesIn(files, APPS)) this.#recover(name);
  }

  /** In alphabetical order. */
  get names(): readonly string[] {
    return [...this.#names].sort();
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** @throws {Fault} `app_not_found` */
  record(name: string): AppRecord {
    if (!this.#names.has(name)) throw new Fault("app_not_found", `No app is named "${name}"`);
    return decodeRecord(readWhole(this.#files, recordPath(name), RECORD_LIMIT_BYTES));
  }

  /** @throws {Fault} `storage_full` where `name` is new and there are as many apps as can be kept */
  requireRoomFor(name: string): void {
    if (this.#names.has(name) || this.#names.size < INSTALLED_APPS_LIMIT) return;
    throw new Fault("storage_full", `Cannot keep more than ${INSTALLED_APPS_LIMIT} apps`);
  }

  /**
   * Installs, or replaces what is installed under that name in one step; stored data stays.
   * @throws {Fault} `storage_full`, and everything is as before but for the staged files
   */
  install(app: StagedApp): void {
    const { name } = app.manifest;
    this.requireRoomFor(name);
    // What a record that cannot be read has left there is another publisher's, for all that is known.
    if (!this.#names.has(name)) deleteTree(this.#files, appDirectory(name));
    const sequence = this.#nextSequence(name);
    this.#commit(name, () => {
      const variants = app.variants.map((variant) => this.#adoptVariant(name, variant, sequence));
      const { path, ...facts } = app.module;
      const module = { ...facts, file: this.#adopt(name, path, `${sequence}.wasm`) };
      const icon = app.icon === undefined ? {} : { icon: this.#adopt(name, app.icon, `${sequence}.bmp`) };
      const { manifest, isManifestSigned, publisher } = app;
      return { manifest, isManifestSigned, ...publisher, module, ...icon, variants, sequence };
    });
    this.#names.add(name);
  }

  /**
   * Adds a variant to an installed app, or replaces the one it has.
   * @throws {Fault} `app_not_found`, `storage_full`
   */
  attach(name: string, variant: StagedVariant): void {
    const record = this.record(name);
    const sequence = record.sequence + 1;
    this.#commit(name, () => {
      const stored = this.#adoptVariant(name, variant, sequence);
      const others = record.variants.filter(({ architecture }) => architecture !== variant.architecture);
      return { ...record, sequence, variants: [...others, stored] };
    });
  }

  /** @throws {Fault} `app_not_found` */
  remove(name: string): void {
    if (!this.#names.has(name)) throw new Fault("app_not_found", `No app is named "${name}"`);
    this.#files.delete(recordPath(name)); // the commit point
    this.#names.delete(name);
    deleteTree(this.#files, appDirectory(name));
  }

  #commit(name: string, gather: () => Omit<AppRecord, "sizeBytes">): void {
    try {
      makeDirectories(this.#files, appDirectory(name));
      const record = this.#withSize(name, gather());
      replaceFile(this.#files, recordPath(name), encodeRecord(record)); // the commit point
    } catch (error) {
      this.#recover(name);
      throw storageFault(error, `Cannot install "${name}"`);
    }
    this.#recover(name);
  }

  /** Moves a staged file to the app's directory. @returns its name there */
  #adopt(name: string, path: string, file: string): string {
    this.#files.move(path, `${appDirectory(name)}/${file}`);
    return file;
  }

  #adoptVariant(
    name: string,
    { architecture, path, isNative }: StagedVariant,
    sequence: number,
  ): StoredVariant {
    const file = this.#adopt(name, path, `${sequence}.${architecture}.aot`);
    return { architecture, file, ...(isNative && { isNative: true as const }) };
  }

  #withSize(name: string, record: Omit<AppRecord, "sizeBytes">): AppRecord {
    const sizes = filesOf({ ...record, sizeBytes: 0 }).map(
      (file) => this.#files.status(`${appDirectory(name)}/${file}`).size,
    );
    return { ...record, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) };
  }

  #nextSequence(name: string): number {
    return this.#names.has(name) ? this.record(name).sequence + 1 : 1;
  }

  /** Deletes every file in an app's directory that no record names; without a record, all of it. */
  #recover(name: string): void {
    const directory = appDirectory(name);
    const isApp = directory !== STAGING && statusOf(this.#files, recordPath(name));
    if (isApp) this.#clearAround(name);
    else deleteTree(this.#files, directory);
  }

  #clearAround(name: string): void {
    this.#names.add(name);
    const kept = this.#keptNames(name);
    for (const found of kept ? namesIn(this.#files, appDirectory(name)) : [])
      if (!kept?.includes(found)) deleteTree(this.#files, `${appDirectory(name)}/${found}`);
    deleteTree(this.#files, unfinishedValuePath(name));
  }

  /** `undefined` for a record that cannot be read: then nothing is cleared away. */
  #keptNames(name: string): readonly string[] | undefined {
    try {
      return [...KEPT_NAMES, ...filesOf(this.record(name))];
    } catch (error) {
      this.#names.delete(name);
      this.#logger.error(`the record of "${name}" cannot be read: ${String(error)}`);
      return undefined;
    }
  }
}
