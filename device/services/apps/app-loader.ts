/**
 * Loads an app into a guest: its module, or its native image where one is believed; some apps have the image alone. Either
 * comes from the medium in pieces, through a few kilobytes of the heap.
 */
import { capabilityBits } from "../../../protocol/capabilities.js";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import { payloadByteLength } from "../../../protocol/native-image.js";
import type { DigestConstructor } from "../../../protocol/ports/crypto.js";
import { readKeyText } from "../../../protocol/signature/statements.js";
import type { Directory } from "../../ports/files.js";
import type { Guest, GuestConstructor, GuestOptions } from "../../ports/guest.js";
import type { LogService } from "../logs/log-service.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";
import { type AppRecord, appDirectory, type StoredModule } from "./app-store.js";
import {
  copy,
  findNativeImage,
  type ImageRefusal,
  isRefusal,
  loadNativeImage,
  type NativeImageFile,
  requireFile,
} from "./native-image-file.js";

export interface AppLoaderOptions {
  readonly files: Directory;
  readonly trustedKeys: Pick<TrustedKeysFile, "revocations" | "hasOwnerKey">;
  readonly Guest: GuestConstructor;
  readonly Digest: DigestConstructor;
  readonly log: LogService;
  /** The console's architecture. */
  readonly architecture: string;
  /** `CONFIG_SVC_WASM_APP_STACK_SIZE` */
  readonly stackBytes: number;
}

/** What runs an app: the interpreter its module, or the processor its native image. */
export type Engine = NonNullable<AppEntry["engine"]>;

export interface LoadedGuest {
  readonly guest: Guest;
  readonly engine: Engine;
}

/** What the guest calls back. */
export type GuestEvents = Pick<GuestOptions, "onRequest" | "onExit"> & {
  /** @param guest that has lines to take */
  onLog(guest: Guest): void;
};

/**
 * A script app has a stack of this many times the size of another's: a call of a function in Python is three or four calls
 * of the interpreter's, with larger frames (docs/adr/0040-scripts-run-on-micropython.md).
 */
const SCRIPT_STACK_FACTOR = 4;

/**
 * @throws {Fault} `module_damaged`, `out_of_memory`; of an app of an image alone also `signature_invalid` and
 *   `module_unsupported`, for what has other images ignored
 */
export function loadApp(
  options: AppLoaderOptions,
  name: string,
  record: AppRecord,
  events: GuestEvents,
): LoadedGuest {
  const { module } = record;
  const image = loadImage(options, name, record, events);
  if (image && !isRefusal(image)) return image;
  if (!module) throw startFault(name, image);
  if (image) ignoreImage(options, name, image.reason);
  return loadModule(options, name, record, module, events);
}

/** The app without its image, which could be loaded and not started; the log says why. */
export function withoutImage(
  options: AppLoaderOptions,
  name: string,
  record: AppRecord,
  reason: string,
): AppRecord {
  ignoreImage(options, name, reason);
  return { ...record, variants: [] };
}

/** Whether a key without which the console would not have taken the app is revoked, or the owner has removed it. */
export function isRevoked(
  { trustedKeys }: AppLoaderOptions,
  { publisher, signer, ownerKey }: AppRecord,
): boolean {
  if (ownerKey !== undefined && !trustedKeys.hasOwnerKey(readKeyText(ownerKey))) return true;
  return [publisher, signer, ownerKey].some(
    (key) => key !== undefined && trustedKeys.revocations.has(readKeyText(key)),
  );
}

/** @returns the app's image, why it may not run, or `undefined` without one */
export function findImage(
  { architecture, files, Guest, trustedKeys }: AppLoaderOptions,
  record: AppRecord,
): NativeImageFile | ImageRefusal | undefined {
  const isRevokedKey = (key: string) => trustedKeys.revocations.has(readKeyText(key));
  return findNativeImage({ files, architecture, machine: Guest.machine, isRevoked: isRevokedKey }, record);
}

/**
 * Checks the digest of what it loads: the interpreter itself validates nothing.
 * @throws {Fault} `module_damaged` if the file is missing or differs from the stored module
 */
function loadModule(
  options: AppLoaderOptions,
  name: string,
  record: AppRecord,
  { file, byteLength, script, sha256 }: StoredModule,
  events: GuestEvents,
): LoadedGuest {
  const guest = makeGuest(options, name, record, { byteLength, script }, events);
  try {
    const digest = new options.Digest("SHA256");
    readModule(options.files, name, file, 0, byteLength, (bytes) => {
      digest.write(bytes);
      guest.load(bytes);
    });
    if (hexadecimal(new Uint8Array(digest.close())) !== sha256)
      throw new Fault("module_damaged", `Cannot start "${name}": its stored module is damaged`);
  } catch (error) {
    guest.close();
    throw error;
  }
  return { guest, engine: "wasm3" };
}

/** @returns `undefined` if there is none */
function loadImage(
  options: AppLoaderOptions,
  name: string,
  record: AppRecord,
  events: GuestEvents,
): LoadedGuest | ImageRefusal | undefined {
  const { files, Digest } = options;
  const image = findImage(options, record);
  if (image === undefined || isRefusal(image)) return image;
  let guest: Guest | undefined;
  try {
    guest = makeGuest(options, name, record, withScript(image, record.module?.script), events);
    if (!loadNativeImage(files, Digest, image, guest)) {
      guest.close();
      return { code: "module_damaged", reason: "it is damaged" };
    }
    loadScript(files, name, record.module, guest);
    return { guest, engine: "aot" };
  } catch (error) {
    guest?.close();
    if (!(error instanceof Fault) || error.code !== "out_of_memory") throw error;
    return { code: "out_of_memory", reason: "there is not enough memory for it" };
  }
}

function ignoreImage({ architecture, log }: AppLoaderOptions, name: string, reason: string): void {
  log.write(
    "info",
    "apps",
    `"${name}" runs as a module, its AOT file for ${architecture} is ignored: ${reason}`,
  );
}

/**
 * Nothing else can run in place of an image alone.
 * @param refusal left out if the storage comes from a console of another architecture
 */
function startFault(name: string, refusal: ImageRefusal | undefined): Fault {
  const { code = "module_unsupported", reason = "it is for another machine" } = refusal ?? {};
  return new Fault(code, `Cannot start machine code of "${name}": ${reason}`);
}

/** Hands on the bytes of a stored module from `start` up to `end`. */
function readModule(
  files: Directory,
  name: string,
  fileName: string,
  start: number,
  end: number,
  onPiece: (bytes: Uint8Array) => void,
): void {
  const path = `${appDirectory(name)}/${fileName}`;
  requireFile(files, path);
  const file = files.openFile({ path, mode: "r" });
  try {
    copy(file, start, end, onPiece);
  } finally {
    file.close();
  }
}

/** @throws {Fault} `out_of_memory` */
function makeGuest(
  { Guest, stackBytes }: AppLoaderOptions,
  name: string,
  { manifest, module }: AppRecord,
  { byteLength, script, image }: LoadedBytes,
  { onRequest, onLog, onExit }: GuestEvents,
): Guest {
  try {
    const guest: Guest = new Guest({
      name,
      moduleByteLength: byteLength,
      capabilities: capabilityBits(manifest.capabilities),
      memoryQuotaBytes: manifest.memory_quota,
      stackBytes: module?.script ? stackBytes * SCRIPT_STACK_FACTOR : stackBytes,
      nestedBlocks: module?.nestedBlocks ?? 0, // only the interpreter asks
      ...(script && { script }),
      ...(image && { image }),
      onRequest,
      onLog: () => onLog(guest),
      onExit,
    });
    return guest;
  } catch (cause) {
    throw new Fault("out_of_memory", `Cannot start "${name}": not enough memory`, { cause });
  }
}

/** What a guest is loaded with. */
interface LoadedBytes {
  readonly byteLength: number;
  readonly script?: GuestOptions["script"];
  readonly image?: GuestOptions["image"];
}

/** An image needs nothing of the module but the script, which is loaded after it. */
function withScript({ layout }: NativeImageFile, script: StoredModule["script"]): LoadedBytes {
  const offset = payloadByteLength(layout);
  if (!script) return { byteLength: offset, image: layout };
  const { byteLength } = script;
  return { byteLength: offset + byteLength, image: layout, script: { offset, byteLength } };
}

function loadScript(files: Directory, name: string, module: StoredModule | undefined, guest: Guest): void {
  if (!module?.script) return;
  const { offset, byteLength } = module.script;
  readModule(files, name, module.file, offset, offset + byteLength, (bytes) => guest.load(bytes));
}
