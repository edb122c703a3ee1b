/**
 * Installs a package (docs/spec/app-packages.md#package): writes its members to the staging directory while
 * unpacking.
 */
import type { AppEntry } from "../../../protocol/device/answers.js";
import { APP_MEMORY_LIMIT_BYTES, MANIFEST_LIMIT_BYTES } from "../../../protocol/manifest/limits.js";
import { readManifest } from "../../../protocol/manifest/manifest.js";
import { WINDOW_BYTES } from "../../../protocol/package/limits.js";
import { type PackageMember, PackageReader } from "../../../protocol/package/package-reader.js";
import type { Directory } from "../../ports/files.js";
import { AppendedFile } from "../storage/appended-file.js";
import type { StagedVariant } from "./app-store.js";
import type { InstallContext } from "./install-job.js";
import { installUnpacked, type UnpackedApp } from "./install-unpacked.js";
import { SLICE_BYTES } from "./limits.js";
import { STAGING } from "./paths.js";
import { eachPiece } from "./pieces.js";
import { requireArchitecture } from "./variant-file.js";

/** @throws {Fault} for what makes the package no app */
export async function installPackage(context: InstallContext): Promise<AppEntry> {
  const unpacked = await unpack(context);
  context.files.delete(context.path);
  return installUnpacked(context, unpacked);
}

const MODULE = `${STAGING}/app.wasm`;

/** All that is needed for it alone is let go of once it has settled. */
async function unpack(context: InstallContext): Promise<UnpackedApp> {
  const { appLimitBytes, Crc32, files, memory, path } = context;
  const window = memory.allocate(WINDOW_BYTES);
  const manifestText = memory.allocate(MANIFEST_LIMIT_BYTES);
  const sink = new StagedMembers(files, manifestText.bytes);
  try {
    const options = { unpackedLimitBytes: appLimitBytes, Crc32, sink, window: window.bytes };
    const reader = new PackageReader(options);
    await eachPiece(context, path, SLICE_BYTES, async (piece) => {
      for (let at = 0; at < piece.length; await context.scheduler.yield())
        at += reader.take(piece.subarray(at));
    });
    reader.end();
    const manifest = readManifest(sink.manifest, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
    const { icon, variants } = sink;
    return { manifest, isManifestSigned: true, modulePath: MODULE, variants, ...(icon && { icon }) };
  } finally {
    window.close();
    manifestText.close();
    sink.close();
  }
}

/** Where each member goes: the manifest to memory, the others to a file each. */
class StagedMembers {
  readonly #files: Directory;
  readonly #manifest: Uint8Array;
  #manifestBytes = 0;
  #file: AppendedFile | undefined;
  readonly variants: StagedVariant[] = [];
  icon: string | undefined;

  /** @param manifest room for {@link MANIFEST_LIMIT_BYTES} */
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
    if (variant) requireArchitecture(this.#files, variant);
  }

  /** Lets go of what is open when the package breaks off. */
  close(): void {
    this.#file?.close();
  }

  #keep(bytes: Uint8Array): void {
    this.#manifest.set(bytes, this.#manifestBytes); // the reader lets no longer one through
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
