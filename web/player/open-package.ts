/**
 * Reads an app's package as a console does before it installs the app, with the same code and the same verdicts, except for the
 * signature: in a browser, an app is as far from everything else whoever has signed it.
 */
import { importRules } from "../../device/wasm/import-rules.js";
import { ModulePreparer } from "../../device/wasm/module-preparer.js";
import { Fault } from "../../protocol/fault.js";
import { FILE_KIND_BYTES, fileKindOf } from "../../protocol/file-kind.js";
import { APP_MEMORY_LIMIT_BYTES, readManifest, requireQuota } from "../../protocol/manifest/manifest.js";
import { PackageReader } from "../../protocol/package/package-reader.js";
import { UnpackedMembers } from "../../protocol/package/unpacked-members.js";
import type { Sandbox } from "../../protocol/ports/sandbox.js";
import type { PreparedApp } from "./run-module.js";

/** A console's default for an unpacked app (`CONFIG_SVC_APP_MAX_SIZE_KB`). */
const APP_LIMIT_BYTES = 1024 * 1024;

export interface OpenedApp extends PreparedApp {
  readonly script: Uint8Array | undefined;
}

/** @throws {Fault} the first fault of the package */
export function openPackage(bytes: Uint8Array, sandbox: Sandbox): OpenedApp {
  if (bytes.length > APP_LIMIT_BYTES)
    throw new Fault(
      "file_too_large",
      `The package has ${bytes.length} bytes, and ${APP_LIMIT_BYTES} are the limit`,
    );
  if (fileKindOf(bytes.subarray(0, FILE_KIND_BYTES)) !== "package")
    throw new Fault("media_type_unsupported", "The file is not a package (.svcpkg)");
  const { members, isImageAlone } = unpack(bytes, sandbox);
  const manifest = readManifest(members.manifest, { maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES });
  if (isImageAlone)
    throw new Fault(
      "module_unsupported",
      `The app is machine code for "${manifest.target_arch}" alone, and a browser runs only modules`,
    );
  if (manifest.target_arch !== "generic")
    throw new Fault("module_unsupported", `The app is for "${manifest.target_arch}" alone`);
  const preparer = new ModulePreparer(sandbox, {
    memoryQuotaBytes: manifest.memory_quota,
    entry: manifest.entry,
    onImport: importRules(manifest.capabilities),
  });
  try {
    preparer.validate(members.module);
    const facts = preparer.endValidation();
    const { script } = facts;
    requireQuota(manifest, {
      maximumMemoryBytes: APP_MEMORY_LIMIT_BYTES,
      isScript: script !== undefined,
    });
    const module = new Uint8Array(facts.preparedByteLength);
    let at = 0;
    const onPiece = (piece: Uint8Array) => {
      module.set(piece, at);
      at += piece.length;
    };
    preparer.prepare(members.module, onPiece);
    preparer.endPreparation(onPiece);
    return {
      manifest,
      module,
      hasMemory: facts.memory !== undefined,
      takesArguments: facts.entry?.takesArguments ?? false,
      script: script && members.module.subarray(script.offset, script.offset + script.byteLength),
    };
  } finally {
    preparer.close();
  }
}

function unpack(
  bytes: Uint8Array,
  sandbox: Sandbox,
): { readonly members: UnpackedMembers; readonly isImageAlone: boolean } {
  const sink = new UnpackedMembers();
  const reader = new PackageReader({ unpackedLimitBytes: APP_LIMIT_BYTES, sandbox, sink });
  try {
    for (let at = 0; at < bytes.length; ) at += reader.take(bytes.subarray(at));
    reader.end();
    return { members: sink, isImageAlone: reader.isImageAlone };
  } finally {
    reader.close();
  }
}
