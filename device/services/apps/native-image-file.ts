/**
 * The native image of an installed app: whether it may run in place of the module, and loading it
 * (docs/spec/aot.md#believed). Native code has no sandbox except its compiler, so it runs only if a key of role `native`
 * signed it; whatever is wrong with it otherwise, the module runs, and the log says why.
 */
import { Fault } from "../../../protocol/fault.js";
import {
  NATIVE_ABI_VERSION,
  NATIVE_DIGEST_BYTES,
  NATIVE_HEAD_BYTES,
  type NativeHead,
  type NativeLayout,
  payloadByteLength,
  readNativeHead,
} from "../../../protocol/native-image.js";
import type { DigestConstructor } from "../../../protocol/ports/crypto.js";
import type { Directory, File } from "../../ports/files.js";
import type { Guest } from "../../ports/guest.js";
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

/**
 * The app's image for this console.
 * @returns the image, the reason why an image that is there does not run, or `undefined` if there is none
 */
export function findNativeImage(
  { files, architecture, machine, isRevoked }: NativeHost,
  { manifest, module, variants }: AppRecord,
): NativeImageFile | string | undefined {
  const variant = variants.find((candidate) => candidate.architecture === architecture);
  if (!variant) return undefined;
  if (!variant.nativeKey) return "no key of role native signed it";
  if (Object.values(variant.nativeKey).some(isRevoked)) return "the key that signed it is revoked";
  if (machine === undefined) return "this firmware cannot run machine code";
  const path = `${appDirectory(manifest.name)}/${variant.file}`;
  try {
    const head = readHead(files, path);
    const reason = reasonAgainst(head, machine, module.sha256, manifest.entry);
    return reason ?? { path, layout: head.layout };
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

function reasonAgainst(
  head: NativeHead,
  machine: string,
  preparedSha256: string,
  entry: string,
): string | undefined {
  if (head.machine !== machine) return `it is for ${head.machine}, and this console is ${machine}`;
  if (head.abiVersion !== NATIVE_ABI_VERSION)
    return `its ABI has version ${head.abiVersion}, and this firmware has ${NATIVE_ABI_VERSION}`;
  if (head.preparedSha256 !== preparedSha256) return "it was made from another module";
  return head.entry === entry ? undefined : `it starts at "${head.entry}", and the app at "${entry}"`;
}

function readHead(files: Directory, path: string): NativeHead {
  const head = new Uint8Array(NATIVE_HEAD_BYTES);
  const file = files.openFile({ path, mode: "r" });
  try {
    return readNativeHead(head.subarray(0, file.read(head, 0)), file.status().size);
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
  const digest = new Digest("SHA256");
  const file = files.openFile({ path, mode: "r" });
  const end = NATIVE_HEAD_BYTES + payloadByteLength(layout);
  try {
    copy(file, 0, NATIVE_HEAD_BYTES, (bytes) => digest.write(bytes));
    copy(file, NATIVE_HEAD_BYTES, end, (bytes) => {
      digest.write(bytes);
      guest.load(bytes);
    });
    const stored = new Uint8Array(NATIVE_DIGEST_BYTES);
    file.read(stored, end);
    const actual = new Uint8Array(digest.close());
    return actual.every((byte, at) => byte === stored[at]);
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
