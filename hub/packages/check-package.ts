/**
 * Checks a package as a console does before it installs it, in the same order and with the same code, so that the hub
 * accepts and refuses exactly what a console would (docs/spec/hub-api.md#publish-checked). The signature comes first;
 * the caller checks it. The icon comes last: consoles do not check it.
 */
import { importRules } from "../../device/wasm/import-rules.js";
import type { ModuleFacts } from "../../device/wasm/validation/facts.js";
import { FUNCTION_TABLE_BYTES } from "../../device/wasm/validation/limits.js";
import { ModuleValidator } from "../../device/wasm/validation/module-validator.js";
import type { VariantArchitecture } from "../../protocol/architecture.js";
import { Fault } from "../../protocol/fault.js";
import { FILE_KIND_BYTES, fileKindOf } from "../../protocol/file-kind.js";
import { APP_MEMORY_LIMIT_BYTES } from "../../protocol/manifest/limits.js";
import { type Manifest, readManifest, requireQuota } from "../../protocol/manifest/manifest.js";
import { PackageReader } from "../../protocol/package/package-reader.js";
import { NodeCrc32 } from "../../tools/node-bytes.js";
import { requireIcon } from "./icon.js";
import { Scheduler } from "./scheduler.js";
import { UnpackedMembers } from "./unpacked-members.js";

export interface CheckedPackage {
  readonly manifest: Manifest;
  /** A BMP of 32 by 32 pixels. */
  readonly icon: Uint8Array | undefined;
}

/** What a console sees of a package. */
export interface ConsolePackage {
  readonly manifest: Manifest;
  /** Whatever it is. */
  readonly icon: Uint8Array | undefined;
  /** What it has AOT files for. */
  readonly variants: readonly VariantArchitecture[];
}

/** Bytes of a module that are read between two checks of the clock. */
const PIECE_BYTES = 16 * 1024;

/** @throws {Fault} `media_type_unsupported` for what is no package, by its first bytes */
export function requirePackage(bytes: Uint8Array): void {
  if (fileKindOf(bytes.subarray(0, FILE_KIND_BYTES)) !== "package")
    throw new Fault("media_type_unsupported", "This is no package (.svcpkg)");
}

/**
 * @param bytes one for which {@link requirePackage} returned
 * @param limitBytes of what it unpacks to, whatever its headers say
 * @throws {Fault} for what makes it no app, and `icon_invalid`
 */
export async function checkPackage(bytes: Uint8Array, limitBytes: number): Promise<CheckedPackage> {
  const { manifest, icon } = await readAsConsole(bytes, limitBytes);
  if (icon) requireIcon(icon);
  return { manifest, icon };
}

/** As {@link checkPackage}, but for the icon. */
export async function readAsConsole(bytes: Uint8Array, limitBytes: number): Promise<ConsolePackage> {
  const slices = new Scheduler();
  const { manifest: json, module, icon, variants } = await unpack(bytes, limitBytes, slices);
  const manifest = readManifest(json, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
  await checkModule(module, manifest, slices);
  return { manifest, icon, variants };
}

/** @throws {Fault} for what makes it no module of an app with this manifest */
export async function checkModule(
  module: Uint8Array,
  manifest: Manifest,
  slices = new Scheduler(),
): Promise<void> {
  const { script } = await validate(module, manifest, slices);
  requireQuota(manifest, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES, isScript: script !== undefined });
}

async function unpack(bytes: Uint8Array, limitBytes: number, slices: Scheduler): Promise<UnpackedMembers> {
  const sink = new UnpackedMembers();
  const reader = new PackageReader({ unpackedLimitBytes: limitBytes, Crc32: NodeCrc32, sink });
  for (let at = 0; at < bytes.length; ) {
    at += reader.take(bytes.subarray(at));
    if (slices.isOver) await slices.next();
  }
  reader.end();
  return sink;
}

async function validate(module: Uint8Array, manifest: Manifest, slices: Scheduler): Promise<ModuleFacts> {
  const validator = new ModuleValidator({
    memoryQuotaBytes: manifest.memory_quota,
    entry: manifest.entry,
    onImport: importRules(manifest.capabilities),
    functionTable: new Uint8Array(FUNCTION_TABLE_BYTES),
  });
  for (let at = 0; at < module.length; at += PIECE_BYTES) {
    validator.push(module.subarray(at, at + PIECE_BYTES));
    if (slices.isOver) await slices.next();
  }
  return validator.end();
}
