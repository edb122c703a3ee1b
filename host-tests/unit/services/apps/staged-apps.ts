/** Apps in the staging directory, as an install leaves them for the store. */
import { createHash } from "node:crypto";
import { AppStore, STAGING, type StagedApp } from "../../../../device/services/apps/app-store.js";
import { AppendedFile, makeDirectories } from "../../../../device/services/storage/stored-files.js";
import type { EmulatedStorage } from "../../../hosts/emulated-storage.js";

const silentLogger = Object.freeze({ debug() {}, info() {}, warning() {}, error() {} });

const MANIFEST = Object.freeze({
  name: "tetris",
  version: "1.0.0",
  description: "Falling blocks",
  author: "Ada",
  capabilities: ["display.write"] as const,
  memory_quota: 65536,
  entry: "main",
  target_arch: "generic" as const,
});

const KEY = Object.freeze({ publisher: "0".repeat(64), signer: "0".repeat(64) });

export function openStore(storage: EmulatedStorage): AppStore {
  return new AppStore(storage.files, silentLogger);
}

/** Writes the files of an app to staging. Its module, or image alone, begins with the text `content`. */
export function stage(
  storage: EmulatedStorage,
  { version = "1.0.0", content = "module", byteLength = 6000, withExtras = false, isImageAlone = false } = {},
): StagedApp {
  const { files } = storage;
  makeDirectories(files, STAGING);
  const write = (name: string, bytes: Uint8Array): string => {
    const file = new AppendedFile(files, `${STAGING}/${name}`);
    for (let at = 0; at < bytes.length; at += 2048) file.write(bytes.subarray(at, at + 2048));
    file.finish();
    return file.path;
  };
  const module = new Uint8Array(byteLength);
  module.set(new TextEncoder().encode(content));
  if (isImageAlone)
    return {
      manifest: { ...MANIFEST, version, target_arch: "native" },
      isManifestSigned: true,
      variants: [{ architecture: "native", path: write("app.wasm", module), nativeKey: KEY }],
    };
  return {
    manifest: { ...MANIFEST, version },
    isManifestSigned: true,
    module: { path: write("prepared.wasm", module), byteLength, sha256: sha256(module), nestedBlocks: 3 },
    ...(withExtras && { icon: write("icon", new Uint8Array(100)) }),
    variants: withExtras
      ? [{ architecture: "xtensa", path: write("app.xtensa.aot", new Uint8Array(50)) }]
      : [],
  };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The text that the installed module, or image alone, begins with. */
export function installedContent(storage: EmulatedStorage, store: AppStore, name = "tetris"): string {
  const { module, variants, sizeBytes } = store.record(name);
  const file = storage.files.openFile({ path: `apps/${name}/${module?.file ?? variants[0]?.file}` });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  file.close();
  const byteLength = module?.byteLength ?? sizeBytes;
  if (bytes.length !== byteLength) throw new Error(`${bytes.length} bytes instead of ${byteLength}`);
  const text = new TextDecoder().decode(bytes);
  return text.slice(0, text.indexOf("\0"));
}
