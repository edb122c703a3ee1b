/**
 * Reads, checks and writes app manifests (docs/spec/app-packages.md#manifest-fields). Field names are those of the
 * JSON, because manifests pass through all programs unchanged.
 *
 * Unknown fields are ignored, and duplicate capabilities are dropped. A byte order mark is rejected, as in all JSON.
 */

import { type Capability, isCapability } from "../capabilities.js";
import { Fault } from "../fault.js";
import { isTargetArchitecture, type TargetArchitecture } from "../file-kind.js";
import { type Json, parseJson } from "../json.js";
import { SCRIPT_QUOTA_BYTES } from "../limits.js";
import { parseVersion } from "../version.js";
import { APP_NAME_RULE, isAppName } from "./app-name.js";

/** Size of a manifest: four times that of all fields at their limits (docs/spec/app-packages.md#manifest-limits). */
export const MANIFEST_LIMIT_BYTES = 8192;

/** Values in a manifest, unknown fields included: 8192 bytes of `[],[],…` would take 170 KiB of a console's heap. */
export const MANIFEST_VALUES_LIMIT = 256;

/**
 * Characters of the description (docs/spec/app-packages.md#manifest-fields) and of the author, for which the
 * specification sets no limit.
 */
export const TEXT_LIMIT_CHARACTERS = 128;

/** Minimum memory of an app: one page of WebAssembly. */
const LEAST_QUOTA_BYTES = 65536;

/**
 * Maximum linear memory of an app: what a board with 8 MiB of PSRAM can give to one app besides
 * the display, a second app and the upload buffers (docs/spec/app-abi-and-quotas.md#memory-quota).
 */
export const APP_MEMORY_LIMIT_BYTES = 4 * 1024 * 1024;

/** Name of the entry export: longer export names are not kept while a module is read. */
const ENTRY_LIMIT_BYTES = 63;

export interface Manifest {
  /** See {@link isAppName}. */
  readonly name: string;
  /** MAJOR.MINOR.PATCH. */
  readonly version: string;
  /** At most 128 characters. */
  readonly description: string;
  readonly author: string;
  /** Without duplicates, in the order of the manifest. */
  readonly capabilities: readonly Capability[];
  /** Maximum memory of the app, in bytes; at least 65536. */
  readonly memory_quota: number;
  /** Name of the export that starts the app. */
  readonly entry: string;
  readonly target_arch: TargetArchitecture;
}

/** Names of all fields, for JSON readers that keep only known names (see protocol/json.ts). */
export const MANIFEST_FIELDS: readonly (keyof Manifest)[] = Object.freeze([
  ...(["name", "version", "description", "author", "capabilities", "memory_quota", "entry"] as const),
  "target_arch",
]);

export interface ManifestRules {
  /** Maximum memory of an app on this board, in bytes. */
  readonly maximumMemoryBytes?: number;
  /** Whether the app is a script, whose memory also holds the interpreter. */
  readonly isScript?: boolean;
}

type Fields = { readonly [field: string]: Json | undefined };

/**
 * Parse and check a manifest.
 * @param json UTF-8 bytes, or a string
 * @throws {Fault} `manifest_invalid`; if a field is invalid, `details.field` is its name
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

/** Encode the manifest as JSON in UTF-8, with all fields in the order of docs/spec/app-packages.md#manifest-fields. */
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
  throw invalid("name", `is not ${APP_NAME_RULE}`);
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

/** @param absent default of an optional field */
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

/** Whether `value` has at most `limit` code points. Counts them only if the UTF-16 length does not decide. */
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
