/**
 * Whether a console would install an app's file, by the code that it would do it with, and in the same order: kind of
 * file, size, signature, and then what is in it (docs/management.md, "Apps").
 */
import { OPTIONS } from "../../device/services/config/options.js";
import { checkModule, readAsConsole, requireIcon } from "../../hub/packages/check-package.js";
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

/** What a console has room for unless it was built otherwise. */
export const APP_LIMIT_BYTES = OPTIONS.CONFIG_SVC_APP_MAX_SIZE_KB.default * 1024;

export interface AppContents {
  readonly kind: FileKind;
  /** `undefined` where the file has none: then the client that installs it gives it a name. */
  readonly manifest: Manifest | undefined;
  /** What there is machine code for. */
  readonly variants: readonly VariantArchitecture[];
  /** What the hub would not take, though consoles do. */
  readonly concerns: readonly string[];
}

/**
 * The kind of an app's file, by its first bytes; nothing else of it is looked at.
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
      `Consoles take no file over ${APP_LIMIT_BYTES} bytes, this has ${file.length}`,
    );
  return kind;
}

/** @throws {Fault} for what makes it no app */
export async function readApp(file: Uint8Array, kind: FileKind): Promise<AppContents> {
  switch (kind) {
    case "package":
      return readPackage(file);
    case "module":
      return readModule(file);
    case "variant":
      return { kind, manifest: undefined, variants: [readVariantArchitecture(file)], concerns: [] };
    default:
      return kind satisfies never;
  }
}

async function readPackage(file: Uint8Array): Promise<AppContents> {
  const { manifest, icon, variants } = await readAsConsole(file, APP_LIMIT_BYTES);
  return { kind: "package", manifest, variants, concerns: icon ? concernsAbout(icon) : [] };
}

function concernsAbout(icon: Uint8Array): readonly string[] {
  try {
    requireIcon(icon);
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [`the hub would refuse its icon: ${error.message}`];
  }
}

async function readModule(file: Uint8Array): Promise<AppContents> {
  const embedded = embeddedManifest(file);
  const rules = { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES };
  const manifest = embedded && readManifest(embedded, rules);
  await checkModule(file, manifest ?? readManifest(MANIFEST_OF_OTHERS));
  return { kind: "module", manifest, variants: [], concerns: [] };
}

function embeddedManifest(module: Uint8Array): Uint8Array | undefined {
  const sections = new ModuleSections([{ name: "svc_manifest", keepBytes: MANIFEST_LIMIT_BYTES }]);
  sections.write(module);
  sections.end();
  return sections.find("svc_manifest")?.content;
}

/** What a console gives a module without one (docs/spec/app-packages.md#no-manifest). */
const MANIFEST_OF_OTHERS = JSON.stringify({
  name: "uploaded_app",
  version: "0.0.0",
  capabilities: [],
  memory_quota: 65536,
});
