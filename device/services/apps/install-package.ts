/** A package (document 2): its members are written to the staging directory as they are unpacked. */
import { MANIFEST_LIMIT_BYTES } from "../../../protocol/manifest/limits.js";
import { readManifest } from "../../../protocol/manifest/manifest.js";
import { WINDOW_BYTES } from "../../../protocol/package/limits.js";
import { type PackageMember, PackageReader } from "../../../protocol/package/package-reader.js";
import type { Directory } from "../../ports/files.js";
import { AppendedFile } from "../storage/appended-file.js";
import type { AppEntry } from "./app-entry.js";
import type { StagedVariant } from "./app-store.js";
import type { InstallContext } from "./install-job.js";
import { installUnpacked } from "./install-unpacked.js";
import { APP_MEMORY_LIMIT_BYTES, SLICE_BYTES } from "./limits.js";
import { STAGING } from "./paths.js";
import { eachPiece } from "./pieces.js";

/** @throws {Fault} for what makes the package no app */
export async function installPackage(context: InstallContext): Promise<AppEntry> {
  const { files, path } = context;
  const members = new StagedMembers(files);
  await unpack(context, members);
  files.delete(path);
  const manifest = readManifest(members.manifest, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
  const { icon, variants } = members;
  return installUnpacked(context, { manifest, modulePath: MODULE, variants, ...(icon && { icon }) });
}

const MODULE = `${STAGING}/app.wasm`;

async function unpack(context: InstallContext, sink: StagedMembers): Promise<void> {
  const { appLimitBytes, Crc32, memory, path } = context;
  const window = memory.allocate(WINDOW_BYTES);
  try {
    const options = { unpackedLimitBytes: appLimitBytes, Crc32, sink, window: window.bytes };
    const reader = new PackageReader(options);
    await eachPiece(context, path, SLICE_BYTES, async (piece) => {
      for (let at = 0; at < piece.length; await context.turns.next()) at += reader.take(piece.subarray(at));
    });
    reader.end();
  } finally {
    window.close();
    sink.close();
  }
}

/** Where each member goes: the manifest to memory, the others to a file each. */
class StagedMembers {
  readonly #files: Directory;
  readonly #manifest = new Uint8Array(MANIFEST_LIMIT_BYTES);
  #manifestBytes = 0;
  #file: AppendedFile | undefined;
  readonly variants: StagedVariant[] = [];
  icon: string | undefined;

  constructor(files: Directory) {
    this.#files = files;
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
    this.#file?.finish();
    this.#file = undefined;
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
