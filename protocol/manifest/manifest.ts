/**
 * What an app says of itself (docs/spec/app-packages.md#manifest-fields). Names of fields are
 * those of the JSON, since a manifest goes through every program as it is.
 *
 * Unknown fields are ignored. A capability that is named twice is meant once. A byte order mark is refused
 * as in all JSON.
 */

import { type Capability, isCapability } from "../capabilities.js";
import { Fault } from "../fault.js";
import { isTargetArchitecture, type TargetArchitecture } from "../file-kind.js";
import { type Json, parseJson } from "../json.js";
import { SCRIPT_QUOTA_BYTES } from "../limits.js";
import { parseVersion } from "../version.js";

/** Text of a manifest: four times what all fields at their limits take (docs/spec/app-packages.md#manifest-limits). */
export const MANIFEST_LIMIT_BYTES = 8192;

/** Values in it, unknown fields included: 8192 bytes of `[],[],…` would take 170 KiB of a console's heap. */
export const MANIFEST_VALUES_LIMIT = 256;

/**
 * Characters of the description (docs/spec/app-packages.md#manifest-fields), and of the other texts, which have no
 * limit there.
 */
export const TEXT_LIMIT_CHARACTERS = 128;

/** Least memory of an app: one page of WebAssembly. */
export const LEAST_QUOTA_BYTES = 65536;

/**
 * Linear memory that a manifest may ask for: what a board with 8 MiB of PSRAM can give to one app beside
 * the display, a second app and the upload buffers (docs/spec/app-abi-and-quotas.md#memory-quota).
 */
export const APP_MEMORY_LIMIT_BYTES = 4 * 1024 * 1024;

/** Name of the export that is called: longer ones are not kept while a module is read. */
export const ENTRY_LIMIT_BYTES = 63;

/**
 * Names of apps: 1 to 32 of `a-z A-Z 0-9 _ - .`, not starting with a dot (docs/spec/app-packages.md#manifest-fields).
 * So a name is also that of a file, and none of them is hidden or leads elsewhere.
 */
const LENGTH_LIMIT = 32;
const PUNCTUATION = "_-.";

export function isAppName(name: string): boolean {
  if (name.length < 1 || name.length > LENGTH_LIMIT || name.startsWith(".")) return false;
  for (let at = 0; at < name.length; at++)
    if (!isLetterOrDigit(name.charCodeAt(at)) && !PUNCTUATION.includes(name.charAt(at))) return false;
  return true;
}

function isLetterOrDigit(code: number): boolean {
  const letter = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}

export interface Manifest {
  /** See {@link isAppName}. */
  readonly name: string;
  /** MAJOR.MINOR.PATCH. */
  readonly version: string;
  /** At most 128 characters. */
  readonly description: string;
  readonly author: string;
  /** Each once, in the order in which they were written. */
  readonly capabilities: readonly Capability[];
  /** Most memory of the app, in bytes; from 65536. */
  readonly memory_quota: number;
  /** The export that is called. */
  readonly entry: string;
  readonly target_arch: TargetArchitecture;
}

/** Names of all fields, for readers on XS of JSON that contains a manifest. */
export const MANIFEST_FIELDS: readonly (keyof Manifest)[] = Object.freeze([
  ...(["name", "version", "description", "author", "capabilities", "memory_quota", "entry"] as const),
  "target_arch",
]);

export interface ManifestRules {
  /** What the board allows an app, in bytes. */
  readonly maximumMemoryBytes?: number;
  /** The app is a script, and its memory holds an interpreter too. */
  readonly isScript?: boolean;
}

type Fields = { readonly [field: string]: Json | undefined };

/**
 * @param json UTF-8, or a text
 * @throws {Fault} `manifest_invalid`; where a field is to blame, `details.field` is its name
 */
export function readManifest(json: Uint8Array | string, rules: ManifestRules = {}): Manifest {
  const fields = readFields(typeof json === "string" ? new TextEncoder().encode(json) : json);
  const manifest: Manifest = {
    name: nameOf(fields),
    version: versionOf(fields),
    description: shortText(fields, "description", ""),
    author: shortText(fields, "author", ""),
    capabilities: capabilitiesOf(fields),
    memory_quota: quotaOf(fields),
    entry: entryOf(fields),
    target_arch: architectureOf(fields),
  };
  requireQuota(manifest, rules);
  return manifest;
}

/**
 * Check that the memory quota is within `rules`, for callers that learn only later that the app is a script.
 * @throws {Fault} `manifest_invalid`
 */
export function requireQuota({ memory_quota }: Manifest, rules: ManifestRules): void {
  const { maximumMemoryBytes = Number.POSITIVE_INFINITY, isScript = false } = rules;
  const least = isScript ? SCRIPT_QUOTA_BYTES : LEAST_QUOTA_BYTES;
  if (memory_quota < least)
    throw invalid("memory_quota", `is below ${least} bytes${isScript ? ", as a script needs" : ""}`);
  if (memory_quota > maximumMemoryBytes)
    throw invalid("memory_quota", `is over the ${maximumMemoryBytes} bytes of this board`);
}

/** The manifest as JSON in UTF-8, all fields in the order of docs/spec/app-packages.md#manifest-fields. */
export function writeManifest(manifest: Manifest): Uint8Array {
  const { name, version, description, author, capabilities, memory_quota, entry, target_arch } = manifest;
  const fields = { name, version, description, author, capabilities, memory_quota, entry, target_arch };
  return new TextEncoder().encode(`${JSON.stringify(fields, undefined, 2)}\n`);
}

function readFields(json: Uint8Array): Fields {
  try {
    const limits = { byteLength: MANIFEST_LIMIT_BYTES, values: MANIFEST_VALUES_LIMIT };
    const value = parseJson(json, { ...limits, names: MANIFEST_FIELDS });
    if (isObject(value)) return value;
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Fault("manifest_invalid", `Cannot read the manifest: ${cause.message}`, { cause });
  }
  throw new Fault("manifest_invalid", "Cannot read the manifest: it is not a JSON object");
}

function isObject(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(fields: Fields): string {
  const name = text(fields, "name");
  if (isAppName(name)) return name;
  throw invalid("name", "is not 1 to 32 of a-z A-Z 0-9 _ - . without a dot at its start");
}

function versionOf(fields: Fields): string {
  const version = text(fields, "version");
  if (parseVersion(version)) return version;
  throw invalid("version", "is not MAJOR.MINOR.PATCH");
}

function entryOf(fields: Fields): string {
  const entry = text(fields, "entry", "main");
  const byteLength = new TextEncoder().encode(entry).length;
  if (byteLength >= 1 && byteLength <= ENTRY_LIMIT_BYTES && !entry.includes("\0")) return entry;
  throw invalid("entry", `is not 1 to ${ENTRY_LIMIT_BYTES} bytes of UTF-8 without U+0000`);
}

function architectureOf(fields: Fields): TargetArchitecture {
  const architecture = text(fields, "target_arch", "generic");
  if (isTargetArchitecture(architecture)) return architecture;
  throw invalid("target_arch", "is none of xtensa, arm, rv32, native and generic");
}

function quotaOf(fields: Fields): number {
  const quota = required(fields, "memory_quota");
  if (Number.isSafeInteger(quota)) return quota as number;
  throw invalid("memory_quota", "is not a whole number of bytes");
}

function capabilitiesOf(fields: Fields): Capability[] {
  const names = required(fields, "capabilities");
  if (!Array.isArray(names)) throw invalid("capabilities", "is not an array");
  const capabilities: Capability[] = [];
  for (const name of names as readonly Json[]) {
    if (typeof name !== "string") throw invalid("capabilities", "holds something other than strings");
    if (!isCapability(name))
      throw invalid("capabilities", `holds "${excerpt(name)}", which is not a capability`);
    if (!capabilities.includes(name)) capabilities.push(name);
  }
  return capabilities;
}

function shortText(fields: Fields, field: keyof Manifest, absent: string): string {
  const value = text(fields, field, absent);
  if (isWithin(TEXT_LIMIT_CHARACTERS, value)) return value;
  throw invalid(field, `is longer than ${TEXT_LIMIT_CHARACTERS} characters`);
}

/** @param absent what an optional field stands for where it is left out */
function text(fields: Fields, field: keyof Manifest, absent?: string): string {
  const value = fields[field] === undefined && absent !== undefined ? absent : required(fields, field);
  if (typeof value === "string") return value;
  throw invalid(field, "is not a string");
}

function required(fields: Fields, field: keyof Manifest): Json {
  const value = fields[field];
  if (value !== undefined) return value;
  throw new Fault("manifest_invalid", `Cannot accept a manifest without "${field}"`, { details: { field } });
}

/** Characters are code points; few enough units of UTF-16 need no counting, and neither do too many. */
function isWithin(limit: number, value: string): boolean {
  if (value.length <= limit || value.length > 2 * limit) return value.length <= limit;
  let count = 0;
  for (const _ of value) count++;
  return count <= limit;
}

function excerpt(value: string): string {
  return value.length > 32 ? `${value.slice(0, 32)}…` : value;
}

function invalid(field: keyof Manifest, problem: string): Fault {
  return new Fault("manifest_invalid", `Cannot accept a manifest whose "${field}" ${problem}`, {
    details: { field },
  });
}
