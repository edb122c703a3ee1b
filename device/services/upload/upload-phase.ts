/**
 * The states of the console's one upload, and its transitions. The functions here decide and have no effects; `Uploads`
 * acts.
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
 * has arrived whole. So does any upload where what is under way over the network is slow
 * (docs/spec/uploads.md#upload-slow).
 *
 * Silence, a lost connection and an error lead from streaming, and silence and a pulled cable from collecting, back to
 * idle. `ended` keeps the last answer for a client that has lost it.
 *
 * Chunk 1 begins an upload again at any time, also where it was the chunk accepted last: the answer is the
 * same, and the two cases cannot be told apart for a file of one chunk, which may be sent twice with an
 * uninstall in between.
 */
import { Fault } from "../../../protocol/fault.js";
import { CHUNK_LIMIT_BYTES } from "../../../protocol/limits.js";
import { type PublisherTexts, publisherTexts } from "../../../protocol/signature/statements.js";
import type { Call, DocumentedParameter, Parameters } from "../api/call.js";
import type { Exchange, JsonAnswer, Transport } from "../api/request.js";

// Why a request is refused, at any stage of an upload.

function uploadBusy(): Fault {
  return new Fault("upload_busy", "Cannot accept this file: another upload is in progress");
}

/** One over the cable, or of a client that is faster than this one. */
export function replaced(): Fault {
  return new Fault("upload_busy", "Another upload has taken the place of this one");
}

/**
 * Another chunk than the next one (docs/spec/uploads.md#chunk-order).
 * @param expected number of the chunk that would be taken; the body of the answer has it too
 */
function chunkOutOfOrder(head: ChunkHead, expected: number, total: number): Fault {
  return new Fault(
    "chunk_out_of_order",
    `Cannot accept chunk ${head.number} of ${head.total}: expected ${expected} of ${total}`,
    { details: { expected } },
  );
}

export function chunkTooLarge(): Fault {
  return new Fault("chunk_too_large", `A chunk has at most ${CHUNK_LIMIT_BYTES} bytes`);
}

export function fileTooLarge(limitBytes: number): Fault {
  return new Fault("file_too_large", `Cannot accept a file of more than ${limitBytes} bytes`);
}

/** A request that brings neither file nor chunk. RFC 9110 §15.5.12 is about HTTP. */
export function withoutBody(transport: Transport): Fault {
  return transport === "http"
    ? new Fault("length_required", "The body must be the file, or one chunk of it")
    : new Fault("bad_request", 'Over USB, send a file in chunks with "chunk", "total" and "data"');
}

/** A body that ended before its first byte (docs/spec/uploads.md#empty-body). */
export function emptyBody(): Fault {
  return new Fault("upload_incomplete", "A file or chunk must have at least one byte");
}

// The number of a chunk and the total, from the parameters `chunk` and `total`.

/** What every endpoint that takes files in chunks declares. */
export const CHUNK_PARAMETERS: readonly DocumentedParameter[] = Object.freeze([
  {
    name: "chunk",
    type: "integer",
    summary: "Number of this chunk, from 1 on. Left out, the body is the file.",
  },
  { name: "total", type: "integer", summary: "How many chunks there are." },
] satisfies DocumentedParameter[]);

const CHUNK_PARAMETER_COUNT = CHUNK_PARAMETERS.length;

/** The same for files whose signature is not in them. */
export const UPLOAD_PARAMETERS: readonly DocumentedParameter[] = Object.freeze([
  ...CHUNK_PARAMETERS,
  {
    name: "signature",
    type: "text",
    summary:
      "Ed25519 signature in 128 hexadecimal digits. With chunks, in any of them. Over HTTP the header `X-Svc-Signature` may carry it instead.",
  },
  {
    name: "publisher_signature",
    type: "text",
    summary:
      "Where a hub has signed: the publisher's own signature over the same. This one and the next three travel as `signature` does, over HTTP also in the headers `X-Svc-Publisher-Signature`, `-Key`, `-Voucher` and `-Succession`.",
  },
  {
    name: "publisher_key",
    type: "text",
    summary: "The publisher's public key, 64 lower-case hexadecimal digits.",
  },
  {
    name: "publisher_voucher",
    type: "text",
    summary: "The hub's signature over `svc publisher`, the file's SHA-256 and that key.",
  },
  {
    name: "publisher_succession",
    type: "text",
    summary:
      "Keys that the publisher has succeeded, `<old>:<new>:<signature>`, the oldest first, separated by commas, at most 4.",
  },
] satisfies DocumentedParameter[]);

export interface ChunkHead {
  /** From 1 to `total`. */
  readonly number: number;
  readonly total: number;
}

/**
 * The chunk that the parameters name (docs/spec/uploads.md#chunk-malformed).
 * @returns `undefined` where the body is the whole file
 * @throws {Fault} `missing_parameter` where one comes without the other, `bad_parameter` for a chunk that
 *   cannot be
 */
export function readChunkHead(parameters: Parameters): ChunkHead | undefined {
  const number = parameters.integer("chunk");
  const total = parameters.integer("total");
  if (number === undefined && total === undefined) return undefined;
  if (number === undefined) throw missing("chunk", "total");
  if (total === undefined) throw missing("total", "chunk");
  if (total < 1) throw new Fault("bad_parameter", 'Parameter "total" must be at least 1');
  if (number < 1 || number > total)
    throw new Fault("bad_parameter", `Parameter "chunk" must be 1 to ${total}, the total`);
  return { number, total };
}

function missing(name: string, given: string): Fault {
  return new Fault("missing_parameter", `Parameter "${name}" is missing, but required with "${given}"`);
}

// The receiver of an upload: an endpoint that accepts files (a target), and what takes one file (a sink). Targets are
// compared by identity, so each is one object for the life of the console.

export interface UploadTarget {
  /** Bytes of the longest file it takes. */
  readonly limitBytes: number;
  /**
   * An upload begins.
   *
   * @throws the error to answer with; then nothing has begun, and nothing needs cleaning up
   */
  begin(start: UploadStart): UploadSink;
}

export interface UploadStart {
  /** The whole file's request, or the one with its first chunk. */
  readonly call: Call;
  /** Length of the file in bytes, where one request says it. */
  readonly totalBytes: number | undefined;
  /** What the chunks can have together at most, where the file comes in chunks. */
  readonly mostBytes: number | undefined;
}

/**
 * Takes one file as it arrives, the same from a request, chunks, a download or a drive. The last call is either `end` or
 * `abort`.
 */
export interface UploadSink {
  /**
   * Takes the next bytes, at least one, which are reused once this returns.
   *
   * @param checksum their CRC-32, where it is known already
   * @throws the error to answer with; `abort` follows
   */
  write(bytes: Uint8Array, checksum?: number): void;
  /**
   * The file is there. No other upload begins until this has settled. One that fails cleans up itself. The
   * answer is kept for a while, since it may have to be given again.
   *
   * @throws the error to answer with
   */
  end(facts: UploadFacts): JsonAnswer | Promise<JsonAnswer>;
  /** The file will not be completed: leaves nothing of it. */
  abort(): void;
}

export interface UploadFacts {
  /** The whole file's request, or the one with its last chunk; left out where none brings the file. */
  readonly call?: Call;
  /** As sent, in the last request of the upload that had one. Not verified yet. */
  readonly signature?: string | undefined;
  /** The same for each of these. */
  readonly publisher?: PublisherTexts | undefined;
}

/**
 * What one request says about the publisher: header fields over HTTP, else parameters
 * (docs/spec/uploads.md#upload-publisher).
 */
export function publisherOf({ request, parameters }: Call): PublisherTexts | undefined {
  // Nearly every chunk has a number and a total, and nothing else to be looked for.
  const isBareChunk = parameters.count === CHUNK_PARAMETER_COUNT && parameters.has("chunk");
  if (isBareChunk && parameters.has("total")) return request.publisher;
  const given = publisherTexts(({ parameter }) => parameters.text(parameter));
  return given && request.publisher ? { ...given, ...request.publisher } : (request.publisher ?? given);
}

/**
 * The signature that one request carries: the header over HTTP, else the parameter
 * (docs/spec/uploads.md#upload-signature).
 */
export function signatureOf({ request, parameters }: Call): string | undefined {
  return request.signature ?? parameters.text("signature");
}

/** Identifies the uploading client. Clients of the same endpoint and transport cannot be told apart. */
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
  /** {@link REPLACED} once another upload has taken its place: its request may go on, and must not keep the memory. */
  sink: UploadSink;
  /** The request that brings it. */
  readonly exchange: Pick<Exchange, "onFailure">;
}

/** Chunks are coming in. */
export interface Collecting {
  readonly phase: "collecting";
  readonly source: UploadSource;
  readonly sink: UploadSink;
  readonly last: ChunkMark;
  readonly receivedBytes: number;
  readonly signature: string | undefined;
  readonly publisher: PublisherTexts | undefined;
}

/** @throws {Fault} `upload_busy` */
function refuse(): never {
  throw replaced();
}

/** Of a whole file that has lost its place. */
export const REPLACED: UploadSink = Object.freeze<UploadSink>({ write: refuse, end: refuse, abort() {} });

export type UploadPhase =
  | { readonly phase: "idle" }
  /** The console downloads a file itself. Until it is complete, an upload may take its place. */
  | { readonly phase: "held"; readonly download?: HeldDownload }
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

/** A download of the console's own. */
export interface HeldDownload {
  /** Whether its server sends less than nearly every network could. */
  readonly isSlow: boolean;
  /** An upload takes its place: removes the incomplete file before it returns. */
  end(): void;
}

export const IDLE: UploadPhase = Object.freeze({ phase: "idle" });
export const HELD: UploadPhase = Object.freeze({ phase: "held" });

export function isOverCable(transport: Transport): boolean {
  return transport === "usb";
}

/** How an upload is doing: whether it brings less than nearly every network. Asked only where that decides. */
export interface UploadPace {
  readonly isSlow: boolean;
}

/** Whether an upload that begins over `transport` takes the place of what is under way. */
function isReplaced(upload: UploadPhase, transport: Transport, pace: UploadPace): boolean {
  const isCable = isOverCable(transport);
  if (upload.phase === "held") return upload.download !== undefined && (isCable || upload.download.isSlow);
  const isTransfer = upload.phase === "streaming" || upload.phase === "collecting";
  return isTransfer && !isOverCable(upload.source.transport) && (isCable || pace.isSlow);
}

/** @throws {Fault} `upload_busy` unless a whole file may begin */
export function checkFree(upload: UploadPhase, transport: Transport, pace: UploadPace): void {
  if (upload.phase === "idle" || upload.phase === "ended" || isReplaced(upload, transport, pace)) return;
  throw uploadBusy();
}

/** Role of a chunk: the first of an upload, the next of this one, or a repetition of the last one. */
type ChunkStep = "begin" | "next" | "repeat";

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
  pace: UploadPace,
): ChunkStep {
  if (upload.phase === "collecting" && isSame(upload.source, source))
    return stepWithin(upload.last, head, mark);
  if (isReplaced(upload, source.transport, pace)) return firstOnly(head);
  switch (upload.phase) {
    case "idle":
      return firstOnly(head);
    case "held":
    case "streaming":
    case "collecting":
      throw uploadBusy();
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

export function isSame(one: UploadSource, other: UploadSource): boolean {
  return one.target === other.target && one.transport === other.transport;
}

/**
 * The received bytes, and at least one byte for each further chunk, must fit the limit.
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
