/**
 * Reads what an install file declares, with the console's own parser, so that the user can review and confirm it before
 * the upload. The console verifies its signature and validates its module.
 */
import { Fault } from "../protocol/fault.js";
import {
  FILE_KIND_BYTES,
  fileKindOf,
  readVariantArchitecture,
  type VariantArchitecture,
} from "../protocol/file-kind.js";
import {
  APP_MEMORY_LIMIT_BYTES,
  MANIFEST_LIMIT_BYTES,
  type Manifest,
  readManifest,
} from "../protocol/manifest/manifest.js";
import { ModuleSections } from "../protocol/module-sections.js";
import { MemberFilter, type PackageMember, type PackageSink } from "../protocol/package/package-reader.js";
import { TarReader } from "../protocol/package/tar-reader.js";

export type AppFile =
  | {
      readonly kind: "package";
      readonly bytes: Uint8Array;
      readonly manifest: Manifest;
      /** A BMP. */
      readonly icon: Uint8Array | undefined;
      /** Bytes that its members occupy once unpacked. */
      readonly unpackedBytes: number;
      /** Whether it is machine code for the manifest's `target_arch`, without a module. */
      readonly isImageAlone: boolean;
    }
  /** A bare module. Without an embedded manifest, the console uses the name from the install request. */
  | { readonly kind: "module"; readonly bytes: Uint8Array; readonly manifest: Manifest | undefined }
  /** Machine code for an installed app, which the install request names. */
  | { readonly kind: "variant"; readonly bytes: Uint8Array; readonly architecture: VariantArchitecture };

const MANIFEST_SECTION = "svc_manifest";
const MANIFEST_RULES = Object.freeze({ maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });

/**
 * @param limitBytes most bytes that a package may unpack to: `limits.app_bytes` of the console
 * @throws {Fault} `media_type_unsupported` if the file cannot be an app, else the fault that the console would report
 */
export async function readAppFile(bytes: Uint8Array, limitBytes: number): Promise<AppFile> {
  switch (fileKindOf(bytes.subarray(0, FILE_KIND_BYTES))) {
    case "package":
      return readPackage(bytes, limitBytes);
    case "module":
      return { kind: "module", bytes, manifest: manifestIn(bytes) };
    case "variant":
      return { kind: "variant", bytes, architecture: readVariantArchitecture(bytes) };
    default:
      throw new Fault(
        "media_type_unsupported",
        "Not an app: expected a package (.svcpkg), a WebAssembly module or an AOT file",
      );
  }
}

/** Uses the console's own archive reader, so that the user sees what the console will see. */
async function readPackage(bytes: Uint8Array, limitBytes: number): Promise<AppFile> {
  const sink = new PackageTexts();
  const members = new MemberFilter(sink, limitBytes);
  const archive = new TarReader(members);
  await unzip(bytes, limitBytes, (piece) => archive.push(piece));
  archive.end();
  members.checkComplete();
  const manifest = readManifest(sink.manifest, MANIFEST_RULES);
  const { icon, unpackedBytes } = sink;
  return { kind: "package", bytes, manifest, icon, unpackedBytes, isImageAlone: members.isImageAlone };
}

function manifestIn(module: Uint8Array): Manifest | undefined {
  const sections = new ModuleSections([{ name: MANIFEST_SECTION, keepBytes: MANIFEST_LIMIT_BYTES }]);
  sections.write(module);
  sections.end();
  const json = sections.find(MANIFEST_SECTION)?.content;
  return json && readManifest(json, MANIFEST_RULES);
}

/** Stores manifest and icon, and counts the bytes of all members. */
class PackageTexts implements PackageSink {
  manifest = new Uint8Array(0);
  icon: Uint8Array | undefined;
  unpackedBytes = 0;
  #kept: Uint8Array | undefined;
  #length = 0;

  begin({ kind, byteLength }: PackageMember): void {
    this.#kept = undefined;
    this.#length = 0;
    this.unpackedBytes += byteLength;
    if (kind === "manifest") this.#kept = this.manifest = new Uint8Array(byteLength);
    else if (kind === "icon") this.#kept = this.icon = new Uint8Array(byteLength);
  }

  write(bytes: Uint8Array): void {
    this.#kept?.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  end(): void {
    this.#kept = undefined;
  }
}

/**
 * Unpacks a gzip file with the decompressor of the browser or Node: the console's own inflater would be a tenth of the
 * page. Unlike consoles, they reject a file of several members, which no packer creates.
 * @param onPiece receives the content piece by piece; its exceptions are rethrown
 * @throws {Fault} `package_invalid` if the file is damaged, `package_too_large` as soon as the limit is exceeded
 */
async function unzip(
  bytes: Uint8Array,
  limitBytes: number,
  onPiece: (piece: Uint8Array) => void,
): Promise<void> {
  const reader = unzipped(bytes).getReader();
  let unpackedBytes = 0;
  try {
    for (let piece = await next(reader); piece; piece = await next(reader)) {
      unpackedBytes += piece.length;
      if (unpackedBytes > limitBytes) throw tooLarge(limitBytes);
      onPiece(piece);
    }
  } finally {
    reader.cancel().catch(() => undefined); // the stream is damaged, which is reported already
  }
}

function unzipped(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const file = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  return file.stream().pipeThrough(new DecompressionStream("gzip"));
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    return (await reader.read()).value;
  } catch (cause) {
    throw new Fault("package_invalid", "Cannot unpack the package: it is incomplete or damaged", { cause });
  }
}

function tooLarge(limitBytes: number): Fault {
  return new Fault("package_too_large", `Cannot unpack a package to more than ${limitBytes} bytes`);
}
