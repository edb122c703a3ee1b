/** Why a request is refused, at any stage of an upload. */
import { Fault } from "../../../protocol/fault.js";
import { CHUNK_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Transport } from "../api/request.js";
import type { ChunkHead } from "./chunk-head.js";

export function uploadBusy(): Fault {
  return new Fault("upload_busy", "Cannot take this file: another upload is under way");
}

export function endedByCable(): Fault {
  return new Fault("upload_busy", "An upload over the cable has ended this one");
}

/**
 * Another chunk than the next one (docs/spec/uploads.md#chunk-order).
 * @param expected number of the chunk that would be taken; the body of the answer has it too
 */
export function chunkOutOfOrder(head: ChunkHead, expected: number, total: number): Fault {
  return new Fault(
    "chunk_out_of_order",
    `Cannot take chunk ${head.number} of ${head.total}: the next one is ${expected} of ${total}`,
    { details: { expected } },
  );
}

export function chunkTooLarge(): Fault {
  return new Fault("chunk_too_large", `A chunk has at most ${CHUNK_LIMIT_BYTES} bytes`);
}

export function fileTooLarge(limitBytes: number): Fault {
  return new Fault("file_too_large", `Cannot take a file of more than ${limitBytes} bytes`);
}

/** A request that brings neither file nor chunk. RFC 9110 §15.5.12 is about HTTP. */
export function withoutBody(transport: Transport): Fault {
  return transport === "http"
    ? new Fault("length_required", "The file, or one chunk of it, is the body of this request")
    : new Fault("bad_request", 'Over USB a file comes in chunks, each with "chunk", "total" and "data"');
}

/** A body that ended before its first byte (docs/spec/uploads.md#empty-body). */
export function emptyBody(): Fault {
  return new Fault("upload_incomplete", "A file, or a chunk of it, has at least one byte");
}
