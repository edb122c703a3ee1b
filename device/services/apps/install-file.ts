/**
 * Installs a received file whose signature is verified: a package, a bare module, or an AOT file for an
 * installed app (docs/spec/app-packages.md#package). Validates and prepares the module, or checks the image that a package
 * has in its place, then switches to the app.
 */

import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import {
  readVariantArchitecture,
  requireVariantArchitecture,
  type VariantArchitecture,
} from "../../../protocol/file-kind.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import { isAppName, isSameApp } from "../../../protocol/manifest/app-name.js";
import {
  APP_MEMORY_LIMIT_BYTES,
  MANIFEST_LIMIT_BYTES,
  type Manifest,
  readManifest,
  requireQuota,
} from "../../../protocol/manifest/manifest.js";
import { ModuleSections } from "../../../protocol/module-sections.js";
import { type PackageMember, PackageReader } from "../../../protocol/package/package-reader.js";
import type { DigestConstructor } from "../../../protocol/ports/crypto.js";
import type { Memory } from "../../../protocol/ports/runtime.js";
import type { Sandbox } from "../../../protocol/ports/sandbox.js";
import type { Directory } from "../../ports/files.js";
import { importRules } from "../../wasm/import-rules.js";
import { ModulePreparer } from "../../wasm/module-preparer.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import { AppendedFile, eachPiece } from "../storage/stored-files.js";
import {
  type AppPublisher,
  SLICE_BYTES,
  STAGING,
  type StagedApp,
  type StagedModule,
  type StagedVariant,
} from "./app-store.js";
import type { Apps } from "./apps.js";
import { stageImageAlone } from "./image-alone.js";
import {
  isSamePublisher,
  type Provenance,
  type Publisher,
  publisherMismatch,
  requireMayReplace,
} from "./may-replace.js";
import { headOf } from "./native-image-file.js";
import type { SignatureVerifier } from "./signature-verifier.js";

/**
 * Bytes of a module that are read between two turns of the event loop: some 0.7 million instructions on a board, 7 ms.
 * A turn costs as much as 300 bytes.
 */
const MODULE_SLICE_BYTES = 8192;

/** Default name of a module without a manifest (docs/spec/app-packages.md#no-manifest). */
const DEFAULT_NAME = "uploaded_app";

/** Memory quota of a module without a manifest (docs/spec/app-packages.md#no-manifest). */
const DEFAULT_QUOTA_BYTES = 65536;

// State that the steps of an install share.

export interface InstallerOptions {
  readonly files: Directory;
  readonly apps: Apps;
  readonly gate: SignatureVerifier;
  readonly scheduler: Scheduler;
  readonly Digest: DigestConstructor;
  readonly sandbox: Sandbox;
  readonly memory: Memory;
  /** Promises memory to an install; left out: memory is unlimited. */
  readonly heap?: HeapAdmission | undefined;
  readonly logger: Logger;
  /** Largest file, and largest app unpacked, in bytes (`CONFIG_SVC_APP_MAX_SIZE_KB`). */
  readonly appLimitBytes: number;
  /** The console's architecture, as in manifests. */
  readonly architecture: string;
  /** What native images have to be for, as compilers name it; `undefined` where none runs. */
  readonly machine: string | undefined;
}

export interface ManifestBeside {
  readonly json: Uint8Array;
  /** Publisher by its own verified signature; `undefined` without a signature. */
  readonly provenance: Provenance | undefined;
}

/** How a file was sent and what was requested with it. */
export interface InstallOrigin {
  /** The requested name. */
  readonly name?: string;
  /** Whether a manifest with another name is an error; else the name applies only without a manifest. */
  readonly requiresName: boolean;
  /** The manifest file beside a bare module; an embedded manifest takes precedence. */
  readonly manifest?: ManifestBeside;
  /** The declared target of an AOT file. */
  readonly architecture?: VariantArchitecture;
  /** Whether to replace an installed app only by a newer version. */
  readonly isNewerOnly: boolean;
  /** Whether an older version may replace the installed app: requested, and permitted for this source. */
  readonly allowsDowngrade: boolean;
  /** App and version that the hub ordered; any other file is `download_mismatch`. */
  readonly ordered?: OrderedApp;
}

interface OrderedApp {
  readonly name: string;
  readonly version: string;
}

/** State that the steps of an install share. */
export interface InstallContext extends InstallerOptions {
  readonly origin: InstallOrigin;
  /** Path of the received file. */
  readonly path: string;
  /** Publisher of the file; `undefined` for an unsigned file. */
  readonly provenance: Provenance | undefined;
}

// Converts a publisher's module to one that is safe for the interpreter (docs/spec/app-packages.md#validated): reads it
// once to validate it, and again to write its prepared form.

/**
 * @param path of the module as published
 * @throws {Fault} `module_invalid`, `module_unsupported`, `import_unknown`, `capability_missing`,
 *   `entry_missing`, `quota_exceeded`, `storage_full`
 */
async function prepareModule(
  context: InstallContext,
  path: string,
  manifest: Manifest,
): Promise<StagedModule> {
  const preparer = new ModulePreparer(context.sandbox, {
    memoryQuotaBytes: manifest.memory_quota,
    entry: manifest.entry,
    onImport: importRules(manifest.capabilities),
  });
  try {
    await eachPiece(context, path, MODULE_SLICE_BYTES, (piece) => preparer.validate(piece));
    const { deepestBlock, script } = preparer.endValidation();
    const prepared = await write(context, path, preparer);
    return {
      ...prepared,
      nestedBlocks: deepestBlock,
      ...(script && { script: { offset: script.preparedOffset, byteLength: script.byteLength } }),
    };
  } finally {
    preparer.close();
  }
}

async function write(
  context: InstallContext,
  path: string,
  preparer: ModulePreparer,
): Promise<Pick<StagedModule, "path" | "byteLength" | "sha256">> {
  const digest = new context.Digest("SHA256");
  const file = new AppendedFile(context.files, `${STAGING}/prepared.wasm`);
  const keep = (piece: Uint8Array) => {
    digest.write(piece);
    file.write(piece);
  };
  try {
    await eachPiece(context, path, MODULE_SLICE_BYTES, (piece) => preparer.prepare(piece, keep));
    preparer.endPreparation(keep);
    file.finish();
  } finally {
    file.close();
  }
  const sha256 = hexadecimal(new Uint8Array(digest.close()));
  return { path: file.path, byteLength: file.byteLength, sha256 };
}

// The final steps for packages and modules: prepare the module, or check the image in its place, then install the app.

interface UnpackedApp {
  readonly manifest: Manifest;
  /** Whether the manifest was signed with the app, or is the console's own. */
  readonly isManifestSigned: boolean;
  /** Path of the published module in the staging directory, or of the image in its place. */
  readonly modulePath: string;
  /** Whether it is an image, so that there is no module and no variant; left out: no. */
  readonly isImageAlone?: boolean;
  readonly icon?: string;
  readonly variants: readonly StagedVariant[];
}

/**
 * @throws {Fault} if the module or image is not a valid app, `bad_request`, `publisher_mismatch`, `version_older`,
 *   `app_not_newer`, `download_mismatch`, `storage_full`
 */
async function installUnpacked(context: InstallContext, unpacked: UnpackedApp): Promise<AppEntry> {
  const { apps, logger, provenance } = context;
  const { manifest } = unpacked;
  requireName(context, manifest);
  requireOrdered(context, manifest);
  requirePlace(context, unpacked);
  requireConsoleArchitecture(context, manifest);
  const code = await stageCode(context, unpacked);
  const entry = await apps.install({ ...unpacked, publisher: recorded(provenance), ...code });
  logger.info(`installed "${entry.name}" ${entry.version}, ${entry.size_bytes} bytes`);
  return entry;
}

/** What the record of an app keeps of its publisher. */
function recorded(provenance: Provenance | undefined): AppPublisher | undefined {
  if (!provenance) return undefined;
  const { publisher, signer, ownerKey } = provenance;
  return { publisher, signer, ...(ownerKey !== undefined && { ownerKey }) };
}

async function stageCode(
  context: InstallContext,
  { manifest, modulePath, isImageAlone, variants }: UnpackedApp,
): Promise<Pick<StagedApp, "module" | "variants">> {
  const nativeKey = nativeKeyOf(context);
  if (isImageAlone) return { variants: [await stageImageAlone(context, modulePath, manifest, nativeKey)] };
  const module = await prepareModule(context, modulePath, manifest);
  requireQuota(manifest, {
    maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES,
    isScript: module.script !== undefined,
  });
  context.files.delete(modulePath);
  return { module, variants: variants.map((variant) => ({ ...variant, nativeKey })) };
}

/** The key that lets machine code in the file run. */
function nativeKeyOf({ provenance }: InstallContext): Publisher | undefined {
  if (!provenance?.isNative) return undefined;
  return { publisher: provenance.publisher, signer: provenance.signer };
}

/** A requested name is not signed: it may name a module without a manifest, but rename no app. */
function requireName({ origin: { name: asked, requiresName } }: InstallContext, { name }: Manifest): void {
  if (!requiresName || asked === undefined || isSameApp(asked, name)) return;
  throw new Fault("bad_request", `Cannot install "${name}" as "${asked}": its manifest has another name`);
}

function requireOrdered({ origin: { ordered } }: InstallContext, { name, version }: Manifest): void {
  if (!ordered || (isSameApp(name, ordered.name) && version === ordered.version)) return;
  throw new Fault(
    "download_mismatch",
    `The file is "${name}" ${version}, but the hub ordered "${ordered.name}" ${ordered.version}`,
  );
}

function requirePlace(
  { apps, origin, provenance }: InstallContext,
  { manifest, isManifestSigned }: UnpackedApp,
): void {
  const { name, version } = manifest;
  requireMayReplace(apps.installed(name), { name, version, isManifestSigned, provenance }, origin);
}

/** A module may run on any console, but its packer has limited it to another architecture. An image is for its own. */
function requireConsoleArchitecture({ architecture }: InstallContext, { name, target_arch }: Manifest): void {
  if (target_arch === "generic" || target_arch === architecture) return;
  throw new Fault(
    "module_unsupported",
    `"${name}" is for ${target_arch} (target_arch), but this console is ${architecture}`,
  );
}

// Installs a bare module: its manifest is embedded, in a file beside it, or missing.

const MANIFEST_SECTION = "svc_manifest";

/** @throws {Fault} if the module or its manifest is invalid */
export async function installModule(context: InstallContext): Promise<AppEntry> {
  const sections = new ModuleSections([{ name: MANIFEST_SECTION, keepBytes: MANIFEST_LIMIT_BYTES }]);
  await eachPiece(context, context.path, MODULE_SLICE_BYTES, (piece) => sections.write(piece));
  sections.end();
  const embedded = sections.find(MANIFEST_SECTION)?.content;
  const beside = embedded ? undefined : context.origin.manifest;
  const manifest = manifestFor(context, embedded ?? beside?.json);
  const isManifestSigned = !beside || beside.provenance !== undefined;
  requireOnePublisher(context, manifest.name, beside);
  return installUnpacked(context, {
    manifest,
    isManifestSigned,
    modulePath: context.path,
    variants: [],
  });
}

/** Otherwise one publisher's module could run as another publisher's app, by the manifest beside it. */
function requireOnePublisher(
  { provenance }: InstallContext,
  name: string,
  beside: ManifestBeside | undefined,
): void {
  if (!beside?.provenance || isSamePublisher(beside.provenance, provenance)) return;
  throw new Fault(
    "publisher_mismatch",
    `Cannot install "${name}": module and manifest are signed by different publishers`,
  );
}

function manifestFor({ origin }: InstallContext, json: Uint8Array | undefined): Manifest {
  if (json) return readManifest(json, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
  const { name = DEFAULT_NAME } = origin;
  if (!isAppName(name))
    throw new Fault("manifest_invalid", `"${name}" is not a valid app name`, {
      details: { field: "name" },
    });
  return {
    name,
    version: "0.0.0",
    description: "",
    author: "",
    capabilities: [],
    memory_quota: DEFAULT_QUOTA_BYTES,
    entry: "main",
    target_arch: "generic",
  };
}

// Attaches an AOT file to the installed app of its name. A native image names the module that it was made from, so that
// it runs for no other app or version than the one that its signature is for.

/** @throws {Fault} `app_not_found`, `publisher_mismatch`, `variant_invalid`, `download_mismatch`, `storage_full` */
export async function installVariant(context: InstallContext): Promise<AppEntry> {
  const { apps, files, logger, origin, path, provenance } = context;
  if (origin.ordered)
    throw new Fault(
      "download_mismatch",
      `The file is an AOT file, but the hub ordered the app "${origin.ordered.name}"`,
    );
  const asked = origin.name ?? DEFAULT_NAME;
  const installed = apps.installed(asked);
  if (!installed) throw new Fault("app_not_found", `Cannot attach an AOT file: no app is named "${asked}"`);
  const { name } = installed;
  if (!isSamePublisher(installed, provenance)) throw publisherMismatch(name);
  const head = headOf(files, path).bytes;
  const architecture = origin.architecture ?? readVariantArchitecture(head);
  requireVariantArchitecture(head, architecture);
  flush(context);
  const entry = await apps.attach(name, { architecture, path, nativeKey: nativeKeyOf(context) });
  logger.info(`installed an AOT file of "${name}" for ${architecture}`);
  return entry;
}

/** The file must be on the medium before a record refers to it. */
function flush({ files, path }: InstallContext): void {
  const file = files.openFile({ path, mode: "r+" });
  try {
    file.flush();
  } finally {
    file.close();
  }
}

/** @throws {Fault} if the package is not a valid app */
export async function installPackage(context: InstallContext): Promise<AppEntry> {
  const unpacked = await unpack(context);
  context.files.delete(context.path);
  return installUnpacked(context, unpacked);
}

const MODULE = `${STAGING}/app.wasm`;

/** A separate function, so that its memory is freed when it settles. */
async function unpack(context: InstallContext): Promise<UnpackedApp> {
  const { appLimitBytes, files, memory, path, sandbox } = context;
  const manifestText = memory.allocate(MANIFEST_LIMIT_BYTES);
  const sink = new StagedMembers(files, manifestText.bytes);
  let reader: PackageReader | undefined;
  try {
    const opened = new PackageReader({ unpackedLimitBytes: appLimitBytes, sandbox, sink });
    reader = opened;
    await eachPiece(context, path, SLICE_BYTES, async (piece) => {
      for (let at = 0; at < piece.length; await context.scheduler.yield())
        at += opened.take(piece.subarray(at));
    });
    opened.end();
    const manifest = readManifest(sink.manifest, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
    const { icon, variants } = sink;
    return {
      manifest,
      isManifestSigned: true,
      modulePath: MODULE,
      isImageAlone: opened.isImageAlone,
      variants,
      ...(icon && { icon }),
    };
  } finally {
    reader?.close();
    manifestText.close();
    sink.close();
  }
}

/** Receives the members of a package: the manifest to memory, each other one to a file. */
class StagedMembers {
  readonly #files: Directory;
  readonly #manifest: Uint8Array;
  #manifestBytes = 0;
  #file: AppendedFile | undefined;
  readonly variants: StagedVariant[] = [];
  icon: string | undefined;

  /** @param manifest buffer of {@link MANIFEST_LIMIT_BYTES} */
  constructor(files: Directory, manifest: Uint8Array) {
    this.#files = files;
    this.#manifest = manifest;
  }

  get manifest(): Uint8Array {
    return this.#manifest.subarray(0, this.#manifestBytes);
  }

  begin(member: PackageMember): void {
    const path = this.#pathOf(member);
    this.#file = path === undefined ? undefined : new AppendedFile(this.#files, path);
  }

  write(bytes: Uint8Array): void {
    if (this.#file) this.#file.write(bytes);
    else this.#keep(bytes);
  }

  end(): void {
    const path = this.#file?.path;
    this.#file?.finish();
    this.#file = undefined;
    const variant = this.variants.find((candidate) => candidate.path === path);
    if (variant) requireVariantArchitecture(headOf(this.#files, variant.path).bytes, variant.architecture);
  }

  /** Closes the open file if the package is truncated. */
  close(): void {
    this.#file?.close();
  }

  #keep(bytes: Uint8Array): void {
    this.#manifest.set(bytes, this.#manifestBytes); // the reader rejects longer ones
    this.#manifestBytes += bytes.length;
  }

  #pathOf(member: PackageMember): string | undefined {
    switch (member.kind) {
      case "manifest":
        return undefined;
      case "module":
        return MODULE;
      case "icon":
        this.icon = `${STAGING}/icon_32.bmp`;
        return this.icon;
      case "variant": {
        const { architecture } = member;
        const path = `${STAGING}/app.${architecture}.aot`;
        this.variants.push({ architecture, path });
        return path;
      }
      default:
        return member satisfies never;
    }
  }
}
