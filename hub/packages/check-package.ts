/**
 * Checks a package as a console does before it installs it, in the same order and with the same code, so that the hub
 * accepts and rejects the same packages as a console (docs/spec/hub-api.md#publish-checked). The signature comes first;
 * the caller checks it.
 */
import { setImmediate } from "node:timers/promises";
import { importRules } from "../../device/wasm/import-rules.js";
import type { ModuleFacts } from "../../device/wasm/module-facts.js";
import { ModulePreparer } from "../../device/wasm/module-preparer.js";
import { Fault } from "../../protocol/fault.js";
import { FILE_KIND_BYTES, fileKindOf, type VariantArchitecture } from "../../protocol/file-kind.js";
import {
  APP_MEMORY_LIMIT_BYTES,
  type Manifest,
  readManifest,
  requireQuota,
} from "../../protocol/manifest/manifest.js";
import { NATIVE_HEAD_BYTES, NativeDigestCheck, readImageAlone } from "../../protocol/native-image.js";
import { PackageReader } from "../../protocol/package/package-reader.js";
import { UnpackedMembers } from "../../protocol/package/unpacked-members.js";
import { NodeDigest } from "../../tools/node-bytes.js";
import { loadSandbox } from "../../tools/sandbox.js";

// Long work runs in slices, so that requests and consoles are served in between. A worker thread would not check a
// package faster, and would need a second heap and program; it would relieve the main thread only of publishing, which
// is rare. Measured: 8 MiB of code take 0.3 s to 0.8 s to check, in slices of 5 ms to 30 ms.

/** Short enough that no request notices it, and long compared with the cost of yielding. */
const SLICE_MS = 5;

/** Tells long work when to yield. */
export class Scheduler {
  #since = performance.now();

  /** Whether to yield to other tasks now. Check it often, to await only when needed. */
  get shouldYield(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** Resolves after all other pending tasks have run. */
  async yield(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}

/** The contents of a package that a console uses. */
export interface CheckedPackage {
  readonly manifest: Manifest;
  /** `undefined` for machine code alone (docs/spec/aot.md#alone). */
  readonly module: Uint8Array | undefined;
  /** A BMP of 32 by 32 pixels. */
  readonly icon: Uint8Array | undefined;
  /** The architectures of its AOT files, or that of machine code alone. */
  readonly variants: readonly VariantArchitecture[];
}

/** Bytes of a module to validate, or of an image to hash, between two checks of the clock. */
const PIECE_BYTES = 16 * 1024;

/** Checks the first bytes of a file. @throws {Fault} `media_type_unsupported` unless it is a package */
export function requirePackage(bytes: Uint8Array): void {
  if (fileKindOf(bytes.subarray(0, FILE_KIND_BYTES)) !== "package")
    throw new Fault("media_type_unsupported", "The file is not a package (.svcpkg)");
}

/**
 * @param bytes a package that {@link requirePackage} has accepted
 * @param limitBytes limit of the unpacked size, whatever the headers state
 * @throws {Fault} the first fault of the package
 */
export async function checkPackage(
  bytes: Uint8Array,
  limitBytes: number,
  scheduler = new Scheduler(),
): Promise<CheckedPackage> {
  const { members, isImageAlone } = await unpack(bytes, limitBytes, scheduler);
  const { manifest: json, module, icon, variants } = members;
  const manifest = readManifest(json, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
  if (isImageAlone) {
    const architecture = await checkImageAlone(module, manifest, scheduler);
    return { manifest, module: undefined, icon, variants: [architecture] };
  }
  await checkModule(module, manifest, scheduler);
  return { manifest, module, icon, variants };
}

/**
 * Checks of machine code what its package alone tells: whether a console runs it is up to its firmware and keys.
 * @returns its architecture
 * @throws {Fault} `variant_invalid`, `entry_missing`
 */
async function checkImageAlone(
  image: Uint8Array,
  manifest: Manifest,
  scheduler: Scheduler,
): Promise<VariantArchitecture> {
  const head = image.subarray(0, NATIVE_HEAD_BYTES);
  const { architecture, layout } = readImageAlone(head, image.length, manifest);
  const check = new NativeDigestCheck(NodeDigest, layout);
  for (let at = 0; at < image.length; at += PIECE_BYTES) {
    check.push(image.subarray(at, at + PIECE_BYTES));
    if (scheduler.shouldYield) await scheduler.yield();
  }
  check.require();
  return architecture;
}

/** @throws {Fault} unless it is a valid module for an app with this manifest */
export async function checkModule(
  module: Uint8Array,
  manifest: Manifest,
  scheduler = new Scheduler(),
): Promise<void> {
  const { script } = await validate(module, manifest, scheduler);
  requireQuota(manifest, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES, isScript: script !== undefined });
}

async function unpack(
  bytes: Uint8Array,
  limitBytes: number,
  scheduler: Scheduler,
): Promise<{ readonly members: UnpackedMembers; readonly isImageAlone: boolean }> {
  const sink = new UnpackedMembers();
  const sandbox = await loadSandbox(["inflater"]);
  const reader = new PackageReader({ unpackedLimitBytes: limitBytes, sandbox, sink });
  try {
    for (let at = 0; at < bytes.length; ) {
      at += reader.take(bytes.subarray(at, at + PIECE_BYTES)); // which may unpack to nothing
      if (scheduler.shouldYield) await scheduler.yield();
    }
    reader.end();
    return { members: sink, isImageAlone: reader.isImageAlone };
  } finally {
    reader.close();
  }
}

async function validate(module: Uint8Array, manifest: Manifest, scheduler: Scheduler): Promise<ModuleFacts> {
  const preparer = new ModulePreparer(await loadSandbox(["validator"]), {
    memoryQuotaBytes: manifest.memory_quota,
    entry: manifest.entry,
    onImport: importRules(manifest.capabilities),
  });
  for (let at = 0; at < module.length; at += PIECE_BYTES) {
    preparer.validate(module.subarray(at, at + PIECE_BYTES));
    if (scheduler.shouldYield) await scheduler.yield();
  }
  return preparer.endValidation();
}
