/** What a user of the console does, or what befalls it, and how an upload is sent. */
import { Fault } from "../../protocol/fault.js";
import type { RunEnd } from "../hosts/emulated-slots.js";
import type { Reply, Run } from "../unit/services/firmware/emulated-update.js";
import type { Upload } from "./belief.js";
import { bundleFor, type KeysName } from "./firmware.js";

export type Move =
  | { readonly kind: "upload"; readonly upload: Upload }
  | { readonly kind: "confirm" }
  /** The run ends, and the next one begins. */
  | { readonly kind: "end"; readonly why: RunEnd }
  /** As long as firmware may be on trial. */
  | { readonly kind: "wait" };

/** Before the image. */
const HEADER_BYTES = 78;

/** A request that is sent in one piece. */
const WHOLE = Number.MAX_SAFE_INTEGER;

/** Whether anything of the image is sent, and not just the header of its bundle. */
export function reachesTheSlot(upload: Upload, keys: KeysName): boolean {
  return sentOf(upload, keys).length > HEADER_BYTES;
}

/** @returns what the user is told: `staged`, the code of a refusal, or nothing at all */
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
 * All of the bundle, or its first half, in whole chunks.
 * @throws {RangeError} where that is none
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
