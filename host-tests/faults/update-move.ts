/** Actions of a user and events of a console's life, and how an upload is sent. */
import { Fault } from "../../protocol/fault.js";
import type { RunEnd } from "../hosts/emulated-slots.js";
import type { Reply, Run } from "../unit/services/firmware/emulated-update.js";
import type { Upload } from "./belief.js";
import { bundleFor, type KeysName } from "./firmware.js";

export type Move =
  | { readonly kind: "upload"; readonly upload: Upload }
  | { readonly kind: "confirm" }
  /** Ends the run and starts the next one. */
  | { readonly kind: "end"; readonly why: RunEnd }
  /** Waits as long as a trial can last. */
  | { readonly kind: "wait" };

/** Size of the bundle's header, which precedes the image. */
const HEADER_BYTES = 78;

/** Sends the body in one piece. */
const WHOLE = Number.MAX_SAFE_INTEGER;

/** Returns true if the upload sends bytes of the image, and not just of the bundle's header. */
export function reachesTheSlot(upload: Upload, keys: KeysName): boolean {
  return sentOf(upload, keys).length > HEADER_BYTES;
}

/** @returns the user's answer: `staged`, a fault code, or `undefined` if there is none */
export async function send(run: Run, upload: Upload, keys: KeysName): Promise<string | undefined> {
  const { chunkBytes } = upload;
  return chunkBytes === undefined ? sendWhole(run, upload, keys) : sendChunks(run, upload, keys, chunkBytes);
}

async function sendWhole(run: Run, upload: Upload, keys: KeysName): Promise<string | undefined> {
  const { pieceBytes = WHOLE } = upload;
  const bodyByteLength = bundleOf(upload, keys).length;
  const sent = { transport: "http", body: sentOf(upload, keys), bodyByteLength, pieceBytes } as const;
  if (upload.flaw !== "broken_off") return told(await run.send(sent));
  try {
    run.deliver(sent).abort();
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

async function sendChunks(run: Run, upload: Upload, keys: KeysName, chunkBytes: number) {
  const total = Math.ceil(bundleOf(upload, keys).length / chunkBytes);
  const bytes = sentOf(upload, keys);
  for (let chunk = 1, at = 0; at < bytes.length; chunk++, at += chunkBytes) {
    const reply = await run.send({ parameters: { chunk, total }, body: bytes.subarray(at, at + chunkBytes) });
    if (reply.status !== 206) return told(reply);
  }
  run.uploads.disconnected("usb");
  return undefined;
}

function bundleOf({ firmware, flaw }: Upload, keys: KeysName): Uint8Array {
  return bundleFor(firmware, keys, flaw === "broken_off" ? undefined : flaw);
}

/**
 * Returns the bytes to send: the bundle or, if broken off, its first half in whole chunks.
 * @throws {RangeError} if that is not even one chunk
 */
function sentOf(upload: Upload, keys: KeysName): Uint8Array {
  const bundle = bundleOf(upload, keys);
  const { chunkBytes = 1, flaw } = upload;
  if (flaw !== "broken_off") return bundle;
  const half = Math.floor(bundle.length / 2);
  if (half < chunkBytes) throw new RangeError(`Cannot break off within the first ${chunkBytes} bytes`);
  return bundle.subarray(0, half - (half % chunkBytes));
}

function told({ status, body }: Reply): string | undefined {
  const { error, state } = body as { readonly error?: string; readonly state?: string };
  return status === 200 ? state : error;
}
