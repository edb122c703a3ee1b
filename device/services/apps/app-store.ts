/**
 * The installed apps on the medium. Installing, replacing and uninstalling each have one commit point, a single rename
 * or delete of `app.json`; files that a power cut leaves beside it are removed at the next boot, and files that a
 * failure leaves by the operation that fails.
 */

import { Fault } from "../../../protocol/fault.js";
import type { VariantArchitecture } from "../../../protocol/file-kind.js";
import { type Json, parseJson } from "../../../protocol/json.js";
import { canonicalAppName, isSameApp } from "../../../protocol/manifest/app-name.js";
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

/** Most installed apps (docs/spec/apps.md#installed-limit): of each, the heap has the name. */
export const INSTALLED_APPS_LIMIT = 64;

/** Longest record: a manifest and a dozen fields. */
const RECORD_LIMIT_BYTES = 20 * 1024;

/** Bytes of a module, package or drive processed per turn. */
export const SLICE_BYTES = 2048;

/**
 * Layout of the file system:
 *
 * ```
 * apps/NAME/app.json       what is installed; an app is there when this file is. NAME is canonical, the record has the spelling
 * apps/NAME/7.wasm         its module, prepared; 7 counts installs of this app. An app of an image alone has none
 * apps/NAME/7.bmp          its icon
 * apps/NAME/8.xtensa.aot   a variant that was added later
 * apps/NAME/last-exit.json
 * apps/NAME/data/KEY       what it has stored
 * apps/.staging/           the install under way
 * ```
 */
const APPS = "apps";
export const STAGING = `${APPS}/.staging`;

/** The same for all spellings of a name, on drives too: a file system that ignores case would take them for one anyway. */
export function appDirectory(name: string): string {
  return `${APPS}/${canonicalAppName(name)}`;
}

function recordPath(name: string): string {
  return `${appDirectory(name)}/app.json`;
}

export function lastExitPath(name: string): string {
  return `${appDirectory(name)}/last-exit.json`;
}

export function dataDirectory(name: string): string {
  return `${appDirectory(name)}/data`;
}

/** File of a value that is being written; no key has this name. */
export const UNFINISHED_VALUE = ".next";

function unfinishedValuePath(name: string): string {
  return `${dataDirectory(name)}/${UNFINISHED_VALUE}`;
}

/** Names in an app's directory that belong to it regardless of its record. */
const KEPT_NAMES: readonly string[] = Object.freeze(["app.json", "last-exit.json", "data"]);

// The console's record of an installed app. The record names the app's files, so writing it commits the
// installation: before, the new files have no owner; afterwards, the old ones have none. Records of unsigned apps have
// no publisher.
//
// A record without a module is one of an image alone: its only variant, which a key of role native has signed.

export type AppRecord = Partial<AppPublisher> & {
  readonly manifest: Manifest;
  /** Whether the manifest was signed with the app, or is the console's own for a module without a manifest. */
  readonly isManifestSigned: boolean;
  /** Missing for an app of an image alone (docs/spec/aot.md#alone). */
  readonly module?: StoredModule;
  /** File name of the icon. */
  readonly icon?: string;
  /** AOT files by architecture; without a module exactly one. */
  readonly variants: readonly StoredVariant[];
  /** Counts installs under this name; file names begin with it, so that none is reused. */
  readonly sequence: number;
  /** Size of all files in bytes. */
  readonly sizeBytes: number;
  /** Whether the user lets it run in the background. */
  readonly isAllowedBehind?: true;
};

/** The publisher of an app, and the owner's key without which it does not run (docs/spec/keys.md#owner-key-removed). */
export type AppPublisher = Publisher & { readonly ownerKey?: string };

export type StoredModule = {
  readonly file: string;
  readonly byteLength: number;
  /** SHA-256 of the validated module in hexadecimal, checked before it runs. */
  readonly sha256: string;
  /** Deepest nesting of blocks in its functions. */
  readonly nestedBlocks: number;
  /** Position of the script in the file. */
  readonly script?: { readonly offset: number; readonly byteLength: number };
};

type StoredVariant = {
  readonly architecture: string;
  readonly file: string;
  /** The key of role `native` that signed it, and its root; missing if none did. */
  readonly nativeKey?: Publisher;
};

/** Members of a record at any depth. */
const NAMES: readonly string[] = Object.freeze([
  ...["manifest", "isManifestSigned", "module", "icon", "variants", "sequence", "sizeBytes"],
  ...["publisher", "signer", "ownerKey", "nativeKey", "isAllowedBehind"],
  ...["file", "byteLength", "sha256", "nestedBlocks", "script", "offset", "architecture"],
  ...MANIFEST_FIELDS,
]);

/** Most JSON values: those of a manifest, and as many of the console's own. */
const VALUES_LIMIT = 2 * MANIFEST_VALUES_LIMIT;

function encodeRecord(record: AppRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record));
}

/**
 * Only the console writes records, and atomically; but a medium can fail, and other firmware can write others.
 * @throws {Fault} for invalid JSON and another shape, and if there is no code
 */
function decodeRecord(bytes: Uint8Array): AppRecord {
  const record = parseJson(bytes, { values: VALUES_LIMIT, names: NAMES });
  if (!isRecord(record)) throw new Fault("module_damaged", "The record of the app is damaged");
  const { module, variants } = record;
  if (module || (variants.length === 1 && variants[0]?.nativeKey)) return record;
  throw new Fault("module_damaged", "The app has no code");
}

/** Written out, since each look at an app pays for it. */
function isRecord(json: Json | AppRecord): json is AppRecord {
  const { manifest, module, icon, variants, sequence, sizeBytes } = membersOf(json);
  const { name, version, description, author, entry, target_arch, capabilities, memory_quota } =
    membersOf(manifest);
  return (
    typeof name === "string" &&
    typeof version === "string" &&
    typeof description === "string" &&
    typeof author === "string" &&
    typeof entry === "string" &&
    typeof target_arch === "string" &&
    typeof memory_quota === "number" &&
    Array.isArray(capabilities) &&
    (module === undefined || isModule(membersOf(module))) &&
    (icon === undefined || typeof icon === "string") &&
    Array.isArray(variants) &&
    variants.every(isVariant) &&
    typeof sequence === "number" &&
    typeof sizeBytes === "number"
  );
}

function isModule({ file, sha256, byteLength, nestedBlocks }: Members): boolean {
  return (
    typeof file === "string" &&
    typeof sha256 === "string" &&
    typeof byteLength === "number" &&
    typeof nestedBlocks === "number"
  );
}

function isVariant(variant: unknown): boolean {
  const { architecture, file } = membersOf(variant);
  return typeof architecture === "string" && typeof file === "string";
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return Object(value) as Members;
}

/** @throws {Fault} and whatever reading throws */
function readRecord(files: Directory, name: string): AppRecord {
  return decodeRecord(readWhole(files, recordPath(name), RECORD_LIMIT_BYTES));
}

/** The names of all files of the record. */
function filesOf({ module, icon, variants }: AppRecord): string[] {
  return [module?.file, icon, ...variants.map(({ file }) => file)].filter((file) => file !== undefined);
}

/** A complete and verified app, in files that no record names yet. */
export interface StagedApp {
  readonly manifest: Manifest;
  readonly isManifestSigned: boolean;
  /** Left out for an app of an image alone, the only one of `variants`. */
  readonly module?: StagedModule;
  /** Path of the icon. */
  readonly icon?: string;
  readonly variants: readonly StagedVariant[];
  /** Left out for an unsigned app. */
  readonly publisher?: AppPublisher | undefined;
}

export type StagedModule = Omit<StoredModule, "file"> & { readonly path: string };

export interface StagedVariant {
  readonly architecture: VariantArchitecture;
  readonly path: string;
  /** The key of role `native` that signed it, and its root. */
  readonly nativeKey?: Publisher | undefined;
}

export class AppStore {
  readonly #files: Directory;
  /** The same files, for what the owner wants of an app: with the reserve. */
  readonly #owners: Directory;
  readonly #logger: Logger;
  /** Installed names, as their packages spell them, in the order of the canonical forms; the records stay on the medium. */
  readonly #names: string[] = [];

  /**
   * Removes the leftovers of interrupted operations.
   * @param owners the same files, with the reserve
   */
  constructor(files: Directory, logger: Logger, owners: Directory = files) {
    this.#files = files;
    this.#owners = owners;
    this.#logger = logger;
    for (const name of namesIn(files, APPS)) this.#recover(name);
  }

  /** In alphabetical order; a view, until the next change. */
  get names(): readonly string[] {
    return this.#names;
  }

  has(name: string): boolean {
    return this.spellingOf(name) !== undefined;
  }

  /** The installed app's name for any spelling of it (docs/spec/app-packages.md#app-name); `undefined` if there is none. */
  spellingOf(name: string): string | undefined {
    const found = this.#names[placeOf(name, this.#names)];
    return found !== undefined && isSameApp(found, name) ? found : undefined;
  }

  /** The next name in alphabetical order, if `name` is installed or not; `undefined` after the last. */
  nameAfter(name: string): string | undefined {
    return this.#names[placeOf(name, this.#names) + (this.has(name) ? 1 : 0)];
  }

  #add(name: string): void {
    this.#names.splice(placeOf(name, this.#names), this.has(name) ? 1 : 0, name);
  }

  #forget(name: string): void {
    if (this.has(name)) this.#names.splice(placeOf(name, this.#names), 1);
  }

  /** @throws {Fault} `app_not_found` */
  record(name: string): AppRecord {
    if (!this.has(name)) throw new Fault("app_not_found", `No app is named "${name}"`);
    return readRecord(this.#files, name);
  }

  /** @throws {Fault} `storage_full` if `name` is new and the number of apps has reached its limit */
  requireRoomFor(name: string): void {
    if (this.has(name) || this.#names.length < INSTALLED_APPS_LIMIT) return;
    throw new Fault("storage_full", `Cannot install more than ${INSTALLED_APPS_LIMIT} apps`);
  }

  /**
   * Installs an app, or atomically replaces the installed app of that name; stored data and the user's choice stay, and the
   * new package spells the name.
   * @throws {Fault} `storage_full`; then nothing but the staged files has changed
   */
  install(app: StagedApp): void {
    const { name } = app.manifest;
    this.requireRoomFor(name);
    const replaced = this.has(name) ? this.record(name) : undefined;
    // Files of an unreadable record may belong to another publisher.
    if (!replaced) deleteTree(this.#files, appDirectory(name));
    const sequence = (replaced?.sequence ?? 0) + 1;
    this.#commit(name, () => {
      const variants = app.variants.map((variant) => this.#adoptVariant(name, variant, sequence));
      const module = app.module && { module: this.#adoptModule(name, app.module, sequence) };
      const icon = app.icon === undefined ? {} : { icon: this.#adopt(name, app.icon, `${sequence}.bmp`) };
      const { manifest, isManifestSigned, publisher } = app;
      const kept = replaced?.isAllowedBehind ? { isAllowedBehind: true as const } : {};
      return { manifest, isManifestSigned, ...publisher, ...module, ...icon, variants, sequence, ...kept };
    });
    this.#add(name);
  }

  /**
   * Keeps whether the user lets the app run in the background.
   * @throws {Fault} `app_not_found`, `storage_full`
   */
  allowBehind(name: string, isAllowed: boolean): void {
    const { isAllowedBehind = false, ...record } = this.record(name);
    if (isAllowed === isAllowedBehind) return;
    const chosen = () => ({ ...record, ...(isAllowed && { isAllowedBehind: true as const }) });
    this.#commit(name, chosen, this.#owners);
  }

  /**
   * An image alone is replaced by a package, together with its manifest: no module tells which other image is the same app.
   * @returns the app's record
   * @throws {Fault} `app_not_found`, `variant_invalid` if the app has no module
   */
  requireModule(name: string): AppRecord {
    const record = this.record(name);
    if (record.module) return record;
    throw new Fault(
      "variant_invalid",
      `Cannot attach an AOT file: "${name}" is machine code alone: update its package`,
    );
  }

  /**
   * Adds a variant to an installed app, or replaces the one it has.
   * @throws {Fault} `app_not_found`, `variant_invalid` if the app has no module, `storage_full`
   */
  attach(name: string, variant: StagedVariant): void {
    const record = this.requireModule(name);
    const sequence = record.sequence + 1;
    this.#commit(name, () => {
      const stored = this.#adoptVariant(name, variant, sequence);
      const others = record.variants.filter(({ architecture }) => architecture !== variant.architecture);
      return { ...record, sequence, variants: [...others, stored] };
    });
  }

  /** @throws {Fault} `app_not_found` */
  remove(name: string): void {
    if (!this.has(name)) throw new Fault("app_not_found", `No app is named "${name}"`);
    this.#owners.delete(recordPath(name)); // the commit point
    this.#forget(name);
    deleteTree(this.#owners, appDirectory(name));
  }

  #commit(name: string, gather: () => Omit<AppRecord, "sizeBytes">, files = this.#files): void {
    try {
      makeDirectories(files, appDirectory(name));
      const record = this.#withSize(name, gather());
      replaceFile(files, recordPath(name), encodeRecord(record)); // the commit point
    } catch (error) {
      this.#recover(name);
      throw storageFault(error, `Cannot store "${name}"`);
    }
    this.#recover(name);
  }

  /** Moves a staged file to the app's directory. @returns its name there */
  #adopt(name: string, path: string, file: string): string {
    this.#files.move(path, `${appDirectory(name)}/${file}`);
    return file;
  }

  #adoptModule(name: string, { path, ...facts }: StagedModule, sequence: number): StoredModule {
    return { ...facts, file: this.#adopt(name, path, `${sequence}.wasm`) };
  }

  #adoptVariant(
    name: string,
    { architecture, path, nativeKey }: StagedVariant,
    sequence: number,
  ): StoredVariant {
    const file = this.#adopt(name, path, `${sequence}.${architecture}.aot`);
    return { architecture, file, ...(nativeKey && { nativeKey }) };
  }

  #withSize(name: string, record: Omit<AppRecord, "sizeBytes">): AppRecord {
    const sizes = filesOf({ ...record, sizeBytes: 0 }).map(
      (file) => this.#files.status(`${appDirectory(name)}/${file}`).size,
    );
    return { ...record, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) };
  }

  /** Deletes the files in an app's directory that its record does not name; without a record, the whole directory. */
  #recover(name: string): void {
    const directory = appDirectory(name);
    const isApp = directory !== STAGING && statusOf(this.#files, recordPath(name));
    if (isApp) this.#clearAround(name);
    else deleteTree(this.#files, directory);
  }

  /** Lists the app under the name of its record. */
  #clearAround(name: string): void {
    const kept = this.#keptNames(name);
    for (const found of kept ? namesIn(this.#files, appDirectory(name)) : [])
      if (!kept?.includes(found)) deleteTree(this.#files, `${appDirectory(name)}/${found}`);
    deleteTree(this.#files, unfinishedValuePath(name));
  }

  /** `undefined` if the record cannot be read: then nothing is deleted. */
  #keptNames(name: string): readonly string[] | undefined {
    try {
      const record = readRecord(this.#files, name);
      if (!isSameApp(record.manifest.name, name)) throw new Error(`it is that of "${record.manifest.name}"`);
      this.#add(record.manifest.name);
      return [...KEPT_NAMES, ...filesOf(record)];
    } catch (error) {
      this.#forget(name);
      this.#logger.error(`the record of "${name}" cannot be read: ${String(error)}`);
      return undefined;
    }
  }
}

/** The place in `names`, sorted by their canonical forms, where `name` is or belongs. */
function placeOf(name: string, names: readonly string[]): number {
  const canonical = canonicalAppName(name);
  let place = 0;
  for (let end = names.length; place < end; ) {
    const middle = (place + end) >> 1;
    if (canonicalAppName(names[middle] as string) < canonical) place = middle + 1;
    else end = middle;
  }
  return place;
}
