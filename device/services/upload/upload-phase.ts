/**
 * The states of an upload, and the effect of a request in each of them. There is one upload on the whole console.
 * Nothing here has an effect: this decides, and `Uploads` acts.
 *
 *            whole file                      end of body
 *     idle --------------> streaming ------------------------> completing --> idle
 *      ^ \                                     last chunk     ^     |
 *      |  `--------------> collecting -----------------------'      |
 *      |     chunk 1        |  ^ next chunk         |               |
 *      |                    |__|                    | it fails      | with chunks
 *      |                                            v               v
 *      `------------------------------------------ ended <----------'
 *            silence, or another upload begins
 *
 * While the console fetches a file itself (from its hub), the upload is `held`, from idle or ended until that is over.
 *
 * The cable has priority (docs/spec/uploads.md#upload-cable-first): an upload that begins there leads from held,
 * streaming, and collecting over the network to its own beginning. Never in the opposite direction, and not once a file
 * has arrived whole.
 *
 * Silence, a lost connection and an error lead from streaming, and silence and a pulled cable from
 * collecting, back to idle. `ended` serves the client that has lost the last answer.
 *
 * Chunk 1 begins an upload again at any time, also where it was the chunk accepted last: the answer is the
 * same, and the two cases cannot be told apart for a file of one chunk, which may be sent twice with an
 * uninstall in between.
 */
import type { PublisherTexts } from "../../../protocol/signature/statements.js";
import type { JsonAnswer, Transport } from "../api/request.js";
import type { ChunkHead } from "./chunk-head.js";
import { chunkOutOfOrder, fileTooLarge, uploadBusy } from "./upload-faults.js";
import type { UploadConsumer, UploadTarget } from "./upload-target.js";

/** Whose upload it is, as far as that can be known: clients of one endpoint and transport are one. */
export interface UploadSource {
  readonly target: UploadTarget;
  readonly transport: Transport;
}

/** A chunk as it is remembered: enough to recognise it, and none of its bytes. */
export interface ChunkMark extends ChunkHead {
  readonly byteLength: number;
  /** CRC-32: detects a chunk that was sent twice; no protection against an attacker. */
  readonly checksum: number;
}

/** What an upload ended with. */
export type Outcome = { readonly answer: JsonAnswer } | { readonly error: unknown };

/** One request brings the file. */
export interface Streaming {
  readonly phase: "streaming";
  readonly source: UploadSource;
  readonly consumer: UploadConsumer;
  /** Why it is over, for its request, which is still under way then. */
  isEndedByCable: boolean;
}

/** Chunks are coming in. */
export interface Collecting {
  readonly phase: "collecting";
  readonly source: UploadSource;
  readonly consumer: UploadConsumer;
  readonly last: ChunkMark;
  readonly receivedBytes: number;
  readonly signature: string | undefined;
  readonly publisher: PublisherTexts | undefined;
}

export type UploadPhase =
  | { readonly phase: "idle" }
  /**
   * The console brings a file itself, and no request does. As long as it is coming an upload over the cable ends it:
   * then `onEnded` is there.
   */
  | { readonly phase: "held"; readonly onEnded?: () => void }
  | Streaming
  | Collecting
  | {
      readonly phase: "completing";
      readonly source: UploadSource;
      /** The last chunk, `undefined` where there were none. */
      readonly last: ChunkMark | undefined;
      readonly answer: Promise<JsonAnswer>;
    }
  | {
      readonly phase: "ended";
      readonly source: UploadSource;
      readonly last: ChunkMark;
      readonly outcome: Outcome;
    };

export const IDLE: UploadPhase = Object.freeze({ phase: "idle" });
export const HELD: UploadPhase = Object.freeze({ phase: "held" });

export function isOverCable({ transport }: Pick<UploadSource, "transport">): boolean {
  return transport === "usb";
}

/** Whether an upload that begins over `transport` ends what is under way. */
function isEnded(upload: UploadPhase, transport: Transport): boolean {
  if (!isOverCable({ transport })) return false;
  if (upload.phase === "held") return upload.onEnded !== undefined;
  const isTransfer = upload.phase === "streaming" || upload.phase === "collecting";
  return isTransfer && !isOverCable(upload.source);
}

/** @throws {Fault} `upload_busy` unless a whole file may begin, or the console's own */
export function checkFree(upload: UploadPhase, transport: Transport): void {
  if (upload.phase === "idle" || upload.phase === "ended" || isEnded(upload, transport)) return;
  throw uploadBusy();
}

/** What a chunk is: the first of an upload, the next of this one, or the one before once more. */
export type ChunkStep = "begin" | "next" | "repeat";

/**
 * @param mark the chunk with its bytes, or `undefined` while they are not known: then a repeated number is
 *   taken for a repeated chunk
 * @throws {Fault} `upload_busy`, `chunk_out_of_order`
 */
export function stepOf(
  upload: UploadPhase,
  source: UploadSource,
  head: ChunkHead,
  mark: ChunkMark | undefined,
): ChunkStep {
  if (isEnded(upload, source.transport)) return firstOnly(head);
  switch (upload.phase) {
    case "idle":
      return firstOnly(head);
    case "held":
    case "streaming":
      throw uploadBusy();
    case "collecting":
      if (!isSame(upload.source, source)) throw uploadBusy();
      return stepWithin(upload.last, head, mark);
    case "completing":
      if (isSame(upload.source, source) && upload.last && isRepeat(upload.last, head, mark)) return "repeat";
      throw uploadBusy();
    case "ended": {
      const isLast = isSame(upload.source, source) && isRepeat(upload.last, head, mark);
      return isLast && head.number > 1 ? "repeat" : firstOnly(head);
    }
    default:
      return upload satisfies never;
  }
}

function stepWithin(last: ChunkMark, head: ChunkHead, mark: ChunkMark | undefined): ChunkStep {
  if (head.number === 1) return "begin";
  if (head.total === last.total && head.number === last.number + 1) return "next";
  if (isRepeat(last, head, mark)) return "repeat";
  throw chunkOutOfOrder(head, last.number + 1, last.total);
}

function firstOnly(head: ChunkHead): ChunkStep {
  if (head.number === 1) return "begin";
  throw chunkOutOfOrder(head, 1, head.total);
}

function isRepeat(last: ChunkMark, head: ChunkHead, mark: ChunkMark | undefined): boolean {
  if (head.number !== last.number || head.total !== last.total) return false;
  return !mark || (mark.byteLength === last.byteLength && mark.checksum === last.checksum);
}

function isSame(one: UploadSource, other: UploadSource): boolean {
  return one.target === other.target && one.transport === other.transport;
}

/**
 * What has come, and at least a byte for each chunk that is still to come, must fit.
 *
 * @param receivedBytes before `chunk`
 * @throws {Fault} `file_too_large`
 */
export function checkSize({ limitBytes }: UploadTarget, chunk: ChunkMark, receivedBytes: number): void {
  const atLeastBytes = receivedBytes + chunk.byteLength + (chunk.total - chunk.number);
  if (atLeastBytes > limitBytes) throw fileTooLarge(limitBytes);
}

/** The answer to the chunk accepted last, which is not the last one of its file. */
export function acceptance({ last, receivedBytes }: Collecting): JsonAnswer {
  return { status: 206, body: { received_bytes: receivedBytes, next: last.number + 1 } };
}
