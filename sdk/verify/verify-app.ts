/**
 * Checks with the console's own code, and in the same order, whether a console would install an app's file: kind of
 * file, size, signature, then content (docs/management.md, "Apps").
 */
import { OPTIONS } from "../../device/services/config/options.js";
import { checkModule, checkPackage } from "../../hub/packages/check-package.js";
import { Fault } from "../../protocol/fault.js";
import {
  FILE_KIND_BYTES,
  type FileKind,
  fileKindOf,
  readVariantArchitecture,
  type VariantArchitecture,
} from "../../protocol/file-kind.js";
import {
  APP_MEMORY_LIMIT_BYTES,
  MANIFEST_LIMIT_BYTES,
  type Manifest,
  readManifest,
} from "../../protocol/manifest/manifest.js";
import { ModuleSections } from "../../protocol/module-sections.js";

/** Largest app of a console with default build options. */
export const APP_LIMIT_BYTES = OPTIONS.CONFIG_SVC_APP_MAX_SIZE_KB.default * 1024;

export interface AppContents {
  readonly kind: FileKind;
  /** `undefined` if the file has none: then the installing client names the app. */
  readonly manifest: Manifest | undefined;
  /** Architectures with machine code. */
  readonly variants: readonly VariantArchitecture[];
  /** Whether the machine code has no module beside it that could run in its place (docs/spec/aot.md#alone). */
  readonly isImageAlone: boolean;
}

/**
 * Determines the kind of an app's file by its first bytes, and checks its size.
 * @throws {Fault} `media_type_unsupported`, `file_too_large`
 */
export function appKindOf(file: Uint8Array): FileKind {
  const kind = fileKindOf(file.subarray(0, FILE_KIND_BYTES));
  if (!kind)
    throw new Fault(
      "media_type_unsupported",
      "This is neither an app (package, WebAssembly module or AOT file) nor firmware",
    );
  if (file.length > APP_LIMIT_BYTES)
    throw new Fault(
      "file_too_large",
      `The file has ${file.length} bytes; consoles accept at most ${APP_LIMIT_BYTES}`,
    );
  return kind;
}

/** @throws {Fault} for a file that is not a valid app */
export async function readApp(file: Uint8Array, kind: FileKind): Promise<AppContents> {
  switch (kind) {
    case "package":
      return readPackage(file);
    case "module":
      return readModule(file);
    case "variant":
      return { kind, manifest: undefined, variants: [readVariantArchitecture(file)], isImageAlone: false };
    default:
      return kind satisfies never;
  }
}

async function readPackage(file: Uint8Array): Promise<AppContents> {
  const { manifest, module, variants } = await checkPackage(file, APP_LIMIT_BYTES);
  return { kind: "package", manifest, variants, isImageAlone: module === undefined };
}

async function readModule(file: Uint8Array): Promise<AppContents> {
  const embedded = embeddedManifest(file);
  const rules = { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES };
  const manifest = embedded && readManifest(embedded, rules);
  await checkModule(file, manifest ?? readManifest(DEFAULT_MANIFEST));
  return { kind: "module", manifest, variants: [], isImageAlone: false };
}

function embeddedManifest(module: Uint8Array): Uint8Array | undefined {
  const sections = new ModuleSections([{ name: "svc_manifest", keepBytes: MANIFEST_LIMIT_BYTES }]);
  sections.write(module);
  sections.end();
  return sections.find("svc_manifest")?.content;
}

/** The console's default for a module without a manifest (docs/spec/app-packages.md#no-manifest). */
const DEFAULT_MANIFEST = JSON.stringify({
  name: "uploaded_app",
  version: "0.0.0",
  capabilities: [],
  memory_quota: 65536,
});
