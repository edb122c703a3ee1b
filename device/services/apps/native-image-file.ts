/**
 * The native image of an installed app: whether it may run, and loading it (docs/spec/aot.md#believed). Native code has no
 * sandbox except its compiler, so it runs only if a key of role `native` signed it. Whatever is wrong with it, the module
 * runs, and the log says why; an app of an image alone does not start.
 */
import { Fault, type FaultCode } from "../../../protocol/fault.js";
import {
  NATIVE_ABI_VERSION,
  NATIVE_DIGEST_BYTES,
  NATIVE_HEAD_BYTES,
  NativeDigestCheck,
  type NativeHead,
  type NativeLayout,
  payloadByteLength,
  readNativeHead,
} from "../../../protocol/native-image.js";
import type { DigestConstructor } from "../../../protocol/ports/crypto.js";
import type { Directory, File } from "../../ports/files.js";
import type { Guest } from "../../ports/guest.js";
import { statusOf } from "../storage/stored-files.js";
import { type AppRecord, appDirectory, SLICE_BYTES } from "./app-store.js";

export interface NativeImageFile {
  readonly path: string;
  readonly layout: NativeLayout;
}

export interface NativeHost {
  readonly files: Directory;
  /** As in manifests. */
  readonly architecture: string;
  /** As compilers name it; `undefined` where no image runs. */
  readonly machine: string | undefined;
  /** Whether a key, as a record has it, is revoked. */
  isRevoked(key: string): boolean;
}

/** Why an image does not run. Of an app of an image alone, it is the reason why the app does not start. */
export interface ImageRefusal {
  readonly code: FaultCode;
  readonly reason: string;
}

export function isRefusal(found: object | undefined): found is ImageRefusal {
  return found !== undefined && "reason" in found;
}

/**
 * The app's image for this console.
 * @returns the image, the reason why an image that is there does not run, or `undefined` if there is none
 */
export function findNativeImage(
  { files, architecture, machine, isRevoked }: NativeHost,
  { manifest, module, variants }: AppRecord,
): NativeImageFile | ImageRefusal | undefined {
  const variant = variants.find((candidate) => candidate.architecture === architecture);
  if (!variant) return undefined;
  if (!variant.nativeKey) return { code: "signature_invalid", reason: "no key of role native signed it" };
  if (Object.values(variant.nativeKey).some(isRevoked))
    return { code: "signature_invalid", reason: "the key that signed it is revoked" };
  const path = `${appDirectory(manifest.name)}/${variant.file}`;
  try {
    requireFile(files, path);
    const { bytes, fileByteLength } = headOf(files, path);
    const head = readNativeHead(bytes, fileByteLength);
    const unsupported = machineProblem(head, machine);
    if (unsupported !== undefined) return { code: "module_unsupported", reason: unsupported };
    const foreign = ownerProblem(head, module?.sha256, manifest.entry);
    return foreign === undefined
      ? { path, layout: head.layout }
      : { code: "variant_invalid", reason: foreign };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Beside a module may be any AOT file. An image alone was checked when it came, so it is damaged since.
    return { code: "module_damaged", reason: module ? error.message : "it is damaged" };
  }
}

/**
 * @param runs machine of the console, as compilers name it; `undefined` where no image runs
 * @returns why this console does not run the image
 */
export function machineProblem(
  { machine, abiVersion }: NativeHead,
  runs: string | undefined,
): string | undefined {
  if (runs === undefined) return "this firmware cannot run machine code";
  if (machine !== runs) return `it is for ${machine}, and this console is ${runs}`;
  return abiVersion === NATIVE_ABI_VERSION
    ? undefined
    : `its ABI has version ${abiVersion}, and this firmware has ${NATIVE_ABI_VERSION}`;
}

/**
 * @param sha256 of the app's module; `undefined` for an image alone, which came with its manifest
 * @returns why the image is not the app's
 */
function ownerProblem(
  { preparedSha256, entry: start }: NativeHead,
  sha256: string | undefined,
  entry: string,
): string | undefined {
  if (sha256 !== undefined && preparedSha256 !== sha256) return "it was made from another module";
  return start === entry ? undefined : `it starts at "${start}", and the app at "${entry}"`;
}

/** @throws {Fault} `module_damaged` if the file that a record names is not there */
export function requireFile(files: Directory, path: string): void {
  if (!statusOf(files, path)?.isFile()) throw new Fault("module_damaged", "Its stored code is missing");
}

/** The first bytes of an AOT file, as many as {@link readNativeHead} takes, or the whole file if it is shorter. */
export function headOf(
  files: Directory,
  path: string,
): { readonly bytes: Uint8Array; readonly fileByteLength: number } {
  const head = new Uint8Array(NATIVE_HEAD_BYTES);
  const file = files.openFile({ path, mode: "r" });
  try {
    return { bytes: head.subarray(0, file.read(head, 0)), fileByteLength: file.status().size };
  } finally {
    file.close();
  }
}

/**
 * Hands an image to a guest.
 * @returns whether its digest holds; otherwise the guest must not be started
 */
export function loadNativeImage(
  files: Directory,
  Digest: DigestConstructor,
  { path, layout }: NativeImageFile,
  guest: Pick<Guest, "load">,
): boolean {
  const check = new NativeDigestCheck(Digest, layout);
  const file = files.openFile({ path, mode: "r" });
  const end = NATIVE_HEAD_BYTES + payloadByteLength(layout);
  const push = (bytes: Uint8Array) => check.push(bytes);
  try {
    copy(file, 0, NATIVE_HEAD_BYTES, push);
    copy(file, NATIVE_HEAD_BYTES, end, (bytes) => {
      push(bytes);
      guest.load(bytes);
    });
    copy(file, end, end + NATIVE_DIGEST_BYTES, push);
    return check.holds();
  } finally {
    file.close();
  }
}

/** Hands on the bytes of a file from `start` up to `end`, or up to its end. */
export function copy(file: File, start: number, end: number, onPiece: (bytes: Uint8Array) => void): void {
  const piece = new Uint8Array(Math.min(SLICE_BYTES, end - start));
  for (let at = start; at < end; ) {
    const taken = file.read(piece.subarray(0, Math.min(piece.length, end - at)), at);
    if (taken === 0) return;
    onPiece(piece.subarray(0, taken));
    at += taken;
  }
}
