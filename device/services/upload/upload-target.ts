/**
 * The receiver of an upload: an endpoint that accepts files (a target), and its handler of one file (a consumer).
 * Targets are compared by identity, so each is one object for the life of the console.
 */
import { type PublisherTexts, publisherTexts } from "../../../protocol/signature/statements.js";
import type { Call } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";
import { CHUNK_PARAMETERS } from "./chunk-head.js";

export interface UploadTarget {
  /** Bytes of the longest file it takes. */
  readonly limitBytes: number;
  /**
   * An upload begins.
   *
   * @throws the error to answer with; then nothing has begun, and nothing needs cleaning up
   */
  begin(start: UploadStart): UploadConsumer;
}

export interface UploadStart {
  /** The whole file's request, or the one with its first chunk. */
  readonly call: Call;
  /** Length of the file in bytes, where one request says it. */
  readonly totalBytes: number | undefined;
  /** What the chunks can have together at most, where the file comes in chunks. */
  readonly mostBytes: number | undefined;
}

/** Takes one file as it comes. Exactly one of `complete` and `abort` ends it, and is the last call. */
export interface UploadConsumer {
  /**
   * Takes the next bytes, at least one, which are reused once this returns.
   *
   * @throws the error to answer with; `abort` follows
   */
  write(bytes: Uint8Array): void;
  /**
   * The file is there. No other upload begins until this has settled. One that fails cleans up itself. The
   * answer is kept for a while, since it may have to be given again.
   *
   * @throws the error to answer with
   */
  complete(facts: UploadFacts): JsonAnswer | Promise<JsonAnswer>;
  /** The file will not be completed: leaves nothing of it. */
  abort(): void;
}

export interface UploadFacts {
  /** The whole file's request, or the one with its last chunk. */
  readonly call: Call;
  readonly receivedBytes: number;
  /** As sent, in the last request of the upload that had one. Not verified yet. */
  readonly signature: string | undefined;
  /** The same for each of these. */
  readonly publisher: PublisherTexts | undefined;
}

/**
 * What one request says about the publisher: header fields over HTTP, else parameters
 * (docs/spec/uploads.md#upload-publisher).
 */
export function publisherOf({ request, parameters }: Call): PublisherTexts | undefined {
  // Nearly every chunk has a number and a total, and nothing else to be looked for.
  const isBareChunk = parameters.count === CHUNK_PARAMETERS.length && parameters.text("chunk") !== undefined;
  if (isBareChunk && parameters.text("total") !== undefined) return request.publisher;
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
