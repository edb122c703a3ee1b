/**
 * The console's record of an installed app. The record names the app's files, so writing it is the act of
 * installing: before that the new files have no owner, after that the previous ones have none. Records of version 0.1.0
 * have no publisher, and the next publisher whose package is installed becomes theirs.
 */
import { parseJson } from "../../../protocol/json.js";
import { MANIFEST_VALUES_LIMIT } from "../../../protocol/manifest/limits.js";
import { MANIFEST_FIELDS, type Manifest } from "../../../protocol/manifest/manifest.js";
import type { Publisher } from "./may-replace.js";

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

export type StoredVariant = {
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

export function encodeRecord(record: AppRecord): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(record));
}

/** @throws {Fault} for what is not JSON; only the console writes records, and in one step */
export function decodeRecord(bytes: Uint8Array): AppRecord {
  return parseJson(bytes, { values: VALUES_LIMIT, names: NAMES }) as unknown as AppRecord;
}

/** The names of all files of the record. */
export function filesOf({ module, icon, variants }: AppRecord): string[] {
  return [module.file, ...(icon === undefined ? [] : [icon]), ...variants.map(({ file }) => file)];
}
