/**
 * The installed apps on the medium. Installing, replacing and uninstalling each have one commit point, a single rename
 * or delete of `app.json`; files that a power cut leaves beside it are removed at the next boot, and files that a
 * failure leaves by the operation that fails.
 */

import { Fault } from "../../../protocol/fault.js";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";
import { parseJson } from "../../../protocol/json.js";
import {
  MANIFEST_FIELDS,
  MANIFEST_VALUES_LIMIT,
  type Manifest,
} from "../../../protocol/manifest/manifest.js";
import type { Directory } from "../../ports/files.js";
import type { Logger } from "../logs/log-line.js";
import {
  deleteTree,
  makeDirectories,
  namesIn,
  readWhole,
  replaceFile,
  statusOf,
  storageFault,
} from "../storage/stored-files.js";
import type { Publisher } from "./may-replace.js";

/**
 * Installed apps: the list of them is one JSON text in the management VM's heap, some 400 bytes an app
 * (docs/spec/apps.md#installed-limit).
 */
export const INSTALLED_APPS_LIMIT = 24;

/** A record is a manifest and a dozen fields. */
const RECORD_LIMIT_BYTES = 20 * 1024;

/** Bytes of a module, package or drive that are processed before other work gets a turn. */
export const SLICE_BYTES = 2048;

/**
 * Where apps are in the file system:
 *
 * ```
 * apps/NAME/app.json       what is installed; an app is there when this file is
 * apps/NAME/7.wasm         its module, prepared; 7 counts installs of this app
 * apps/NAME/7.bmp          its icon
 * apps/NAME/8.xtensa.aot   a variant that was added later
 * apps/NAME/last-exit.json
 * apps/NAME/data/KEY       what it has stored
 * apps/.staging/           the install under way
 * ```
 */
const APPS = "apps";
export const STAGING = `${APPS}/.staging`;

export function appDirectory(name: string): string {
  return `${APPS}/${name}`;
}

function recordPath(name: string): string {
  return `${APPS}/${name}/app.json`;
}

export function lastExitPath(name: string): string {
  return `${APPS}/${name}/last-exit.json`;
}

export function dataDirectory(name: string): string {
  return `${APPS}/${name}/data`;
}

/** The value that is being written; no key can be named so. */
export const UNFINISHED_VALUE = ".next";

function unfinishedValuePath(name: string): string {
  return `${dataDirectory(name)}/${UNFINISHED_VALUE}`;
}

/** Names in an app's directory that belong to it regardless of its record. */
const KEPT_NAMES: readonly string[] = Object.freeze(["app.json", "last-exit.json", "data"]);

// The console's record of an installed app. The record names the app's files, so writing it is the act of
// installing: before that the new files have no owner, after that the previous ones have none. Records of version 0.1.0
// have no publisher, and the next publisher whose package is installed becomes theirs.

export type AppRecord = Partial<Publisher> & {
  readonly manifest: Manifest;
  /** The manifest is part of what was signed, or is the console's own for a module without one. */
  readonly isManifestSigned: boolean;
  readonly module: StoredModule;
  /** Name of the icon's file. */
  readonly icon?: string;
  /** AOT files by architecture. */
  readonly variants: readonly StoredVariant[];
  /** Counts what was installed under this name; names of files begin with it, so none is written twice. */
  readonly sequence: number;
  /** What the files take, in bytes. */
  readonly sizeBytes: number;
};

export type StoredModule = {
  readonly file: string;
  readonly byteLength: number;
  /** SHA-256 in hexadecimal: what the interpreter is given has been validated, and is still that. */
  readonly sha256: string;
  /** Most blocks within blocks in one of its functions. */
  readonly nestedBlocks: number;
  /** Where the script lies in the file. */
  readonly script?: { readonly offset: number; readonly byteLength: number };
};

type StoredVariant = {
  readonly architecture: string;
  readonly file: string;
  /** A key of role `native` signed it; never so in records of version 0.1.0. */
  readonly isNative?: true;
};

/** Members of a record at any depth. */
const NAMES: readonly string[] = Object.freeze([
  ...["manifest", "isManifestSigned", "module", "icon", "variants", "sequence", "sizeBytes"],
  ...["publisher", "signer", "isNative"],
  ...["file", "byteLength", "sha256", "nestedBlocks", "script", "offset", "architecture"],
  ...MANIFEST_FIELDS,
]);

/** The values of a manifest, and as many of the console's own. */
const VALUES_LIMIT = 2 * MANIFEST_VALUES_LIMIT;

function encodeRecord(record: AppRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record));
}

/** @throws {Fault} for what is not JSON; only the console writes records, and in one step */
function decodeRecord(bytes: Uint8Array): AppRecord {
  return parseJson(bytes, { values: VALUES_LIMIT, names: NAMES }) as unknown as AppRecord;
}

/** The names of all files of the record. */
function filesOf({ module, icon, variants }: AppRecord): string[] {
  return [module.file, ...(icon === undefined ? [] : [icon]), ...variants.map(({ file }) => file)];
}

// The list of apps as JSON, an entry at a time.

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
    throw new Fault("storage_full", `Cannot install more than ${INSTALLED_APPS_LIMIT} apps`);
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
