/**
 * The one upload of the console, for apps and firmware, over HTTP and USB (docs/spec/uploads.md#one-upload): carries
 * out what `upload-phase.ts` decides. Never holds a file: passes bytes to the consumer as they arrive, so that memory
 * use does not depend on the file's size.
 */
import { Fault } from "../../../protocol/fault.js";
import { CHUNK_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Crc32Constructor } from "../../../protocol/ports/crypto.js";
import type { Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import type { BodyReceiver, Call } from "../api/call.js";
import { IdleTimeout } from "../api/pacer.js";
import type { JsonAnswer, Transport } from "../api/request.js";
import type { Logger } from "../logs/log-line.js";
import { ChunkBuffer, ChunkReceiver, type WholeFile, WholeReceiver } from "./chunk-buffer.js";
import {
  acceptance,
  type ChunkHead,
  type ChunkMark,
  type Collecting,
  checkFree,
  checkSize,
  chunkTooLarge,
  endedByCable,
  fileTooLarge,
  HELD,
  IDLE,
  isOverCable,
  type Outcome,
  publisherOf,
  readChunkHead,
  type Streaming,
  signatureOf,
  stepOf,
  type UploadConsumer,
  type UploadFacts,
  type UploadPhase,
  type UploadSource,
  type UploadStart,
  type UploadTarget,
  withoutBody,
} from "./upload-phase.js";

interface UploadsOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  readonly Crc32: Crc32Constructor;
  readonly memory: Memory;
  readonly log: Logger;
  /** Called when memory is short for an upload over the cable: ends the network's work in progress. */
  readonly endOthers?: () => void;
}

export class Uploads {
  /** Frees memory for an upload over the cable: ends the network's work in progress. */
  readonly endOthers: (() => void) | undefined;
  readonly #options: UploadsOptions;
  readonly #silence: IdleTimeout;
  readonly #buffer: ChunkBuffer;
  #upload: UploadPhase = IDLE;

  constructor(options: UploadsOptions) {
    const { timer, clock, memory, endOthers } = options;
    this.endOthers = endOthers;
    this.#buffer = new ChunkBuffer(memory.allocate(CHUNK_LIMIT_BYTES).bytes);
    this.#options = options;
    this.#silence = new IdleTimeout(timer, clock, (reason) => this.#forget(reason));
  }

  /**
   * What an endpoint that takes files does with a request: `receive: ({ uploads }, call) =>
   * uploads.receive(call, target)`. The endpoint declares `CHUNK_PARAMETERS` or `UPLOAD_PARAMETERS`.
   *
   * @throws {Fault} `missing_parameter`, `bad_parameter`, `length_required`, `bad_request`, `upload_busy`,
   *   `chunk_out_of_order`, `chunk_too_large`, `file_too_large`, and what the target throws
   */
  receive(call: Call, target: UploadTarget): BodyReceiver {
    const { transport, bodyByteLength } = call.request;
    const source: UploadSource = { target, transport };
    const head = readChunkHead(call.parameters);
    if (bodyByteLength === 0) throw withoutBody(transport);
    return head ? this.#receiveChunk(call, source, head) : this.#receiveWhole(call, source);
  }

  /**
   * The same for an endpoint that takes the file in one request, regardless of its parameters.
   *
   * @throws {Fault} `upload_busy`, `file_too_large`, and what the target throws
   */
  receiveWhole(call: Call, target: UploadTarget): BodyReceiver {
    return this.#receiveWhole(call, { target, transport: call.request.transport });
  }

  /**
   * Blocks uploads while the console downloads a file itself, until {@link release}. An upload over the cable still
   * begins, and ends the download, until {@link keep}.
   *
   * @param onEnded called when an upload over the cable begins: removes the incomplete file before it returns
   * @throws {Fault} `upload_busy`
   */
  hold(onEnded: () => void): void {
    checkFree(this.#upload, "http");
    this.#silence.stop();
    this.#upload = { phase: "held", onEnded };
  }

  /**
   * The download is complete: from now on no upload over the cable ends it.
   * @throws {Fault} `upload_busy` if an upload over the cable has ended it
   */
  keep(): void {
    if (this.#upload.phase !== "held") throw endedByCable();
    this.#upload = HELD;
  }

  release(): void {
    if (this.#upload.phase === "held") this.#rest();
  }

  /** The clients of `transport` are gone: drops an upload whose chunks came from there. */
  disconnected(transport: Transport): void {
    if (this.#upload.phase === "collecting" && this.#upload.source.transport === transport)
      this.#forget("its client is gone");
  }

  /** Aborts what is under way; a file that is already being completed goes on. May be called twice. */
  close(): void {
    this.#forget("the console is shutting down");
  }

  #receiveChunk(call: Call, source: UploadSource, head: ChunkHead): BodyReceiver {
    const { bodyByteLength } = call.request;
    if (bodyByteLength !== undefined && bodyByteLength > CHUNK_LIMIT_BYTES) throw chunkTooLarge();
    stepOf(this.#upload, source, head, undefined);
    const callbacks = {
      onBytes: (byteLength: number) => this.#noteBytes(byteLength),
      onChunk: (bytes: Uint8Array) => this.#takeChunk(call, source, head, bytes),
    };
    return new ChunkReceiver(this.#buffer, callbacks, bodyByteLength);
  }

  /** A chunk is coming in, however slowly; its place in this upload is checked already. */
  #noteBytes(byteLength: number): void {
    if (this.#upload.phase === "collecting") this.#silence.restart(byteLength);
  }

  #takeChunk(
    call: Call,
    source: UploadSource,
    head: ChunkHead,
    bytes: Uint8Array,
  ): JsonAnswer | Promise<JsonAnswer> {
    const startMs = this.#options.clock.uptimeMs();
    try {
      return this.#takeStep(call, source, head, bytes);
    } finally {
      this.#silence.pause(this.#options.clock.uptimeMs() - startMs);
    }
  }

  #takeStep(
    call: Call,
    source: UploadSource,
    head: ChunkHead,
    bytes: Uint8Array,
  ): JsonAnswer | Promise<JsonAnswer> {
    const checksum = new this.#options.Crc32().checksum(bytes);
    const mark: ChunkMark = { number: head.number, total: head.total, byteLength: bytes.length, checksum };
    switch (stepOf(this.#upload, source, head, mark)) {
      case "begin":
        return this.#acceptChunk(this.#begin(call, source, mark), call, mark, bytes);
      case "next":
        return this.#acceptChunk(this.#upload as Collecting, call, mark, bytes);
      case "repeat":
        return this.#answerAgain();
    }
  }

  /** @returns the upload before its first chunk */
  #begin(call: Call, source: UploadSource, mark: ChunkMark): Collecting {
    this.#makeRoom(source);
    checkSize(source.target, mark, 0);
    const consumer = this.#open(source, {
      ...{ call, totalBytes: undefined },
      mostBytes: mark.total * CHUNK_LIMIT_BYTES,
    });
    const last = { ...mark, number: 0 };
    this.#silence.checkRate(mark.byteLength);
    const proofs = { signature: undefined, publisher: undefined };
    return { phase: "collecting", source, consumer, last, receivedBytes: 0, ...proofs };
  }

  /** Begins the upload. If memory is short for one over the cable, ends the network's work and tries once more. */
  #open({ target, transport }: UploadSource, start: UploadStart): UploadConsumer {
    try {
      return target.begin(start);
    } catch (error) {
      const isShort = error instanceof Fault && error.code === "busy";
      if (!isShort || !this.endOthers || !isOverCable(transport)) throw error;
      this.endOthers();
      return target.begin(start);
    }
  }

  #acceptChunk(
    before: Collecting,
    call: Call,
    last: ChunkMark,
    bytes: Uint8Array,
  ): JsonAnswer | Promise<JsonAnswer> {
    const { source, consumer } = before;
    try {
      checkSize(source.target, last, before.receivedBytes);
      consumer.write(bytes, last.checksum);
    } catch (error) {
      this.#abort(consumer);
      this.#end(source, last, { error });
      throw error;
    }
    const receivedBytes = before.receivedBytes + last.byteLength;
    const signature = signatureOf(call) ?? before.signature;
    const reported = publisherOf(call);
    const publisher =
      reported && before.publisher ? { ...before.publisher, ...reported } : (reported ?? before.publisher);
    if (last.number === last.total)
      return this.#complete(before, last, { call, receivedBytes, signature, publisher });
    // Not spread from `before`: on XS a spread takes three times as long, for each chunk.
    const phase = "collecting";
    const upload: Collecting = { phase, source, consumer, last, receivedBytes, signature, publisher };
    this.#upload = upload;
    this.#silence.restart();
    return acceptance(upload);
  }

  #answerAgain(): JsonAnswer | Promise<JsonAnswer> {
    const upload = this.#upload;
    if (upload.phase === "completing") return upload.answer.then(withoutConsequence);
    this.#silence.restart();
    if (upload.phase === "collecting") return acceptance(upload);
    if (upload.phase !== "ended") throw new Error(`Cannot answer again while ${upload.phase}`);
    if ("error" in upload.outcome) throw upload.outcome.error;
    return withoutConsequence(upload.outcome.answer);
  }

  #receiveWhole(call: Call, source: UploadSource): BodyReceiver {
    const { target } = source;
    const totalBytes = call.request.bodyByteLength;
    checkFree(this.#upload, source.transport);
    if (totalBytes !== undefined && totalBytes > target.limitBytes) throw fileTooLarge(target.limitBytes);
    if (isOverCable(source.transport)) this.#makeRoom(source);
    const consumer = target.begin({ call, totalBytes, mostBytes: undefined });
    const upload: Streaming = { phase: "streaming", source, consumer, isEndedByCable: false };
    this.#upload = upload;
    this.#silence.restart();
    const proofs = { signature: signatureOf(call), publisher: publisherOf(call) };
    const file: WholeFile = {
      write: (bytes) => this.#passOn(upload, bytes),
      complete: (receivedBytes) => {
        this.#checkStreaming(upload);
        return this.#complete(upload, undefined, { call, receivedBytes, ...proofs });
      },
      forget: (reason) => {
        if (this.#upload === upload) this.#forget(reason);
      },
    };
    return new WholeReceiver(file, target.limitBytes);
  }

  #passOn(upload: Streaming, bytes: Uint8Array): void {
    this.#checkStreaming(upload);
    this.#silence.restart();
    upload.consumer.write(bytes);
  }

  /** @throws {Fault} `upload_busy` where one over the cable has ended it, `upload_incomplete` where it was forgotten */
  #checkStreaming(upload: Streaming): void {
    if (this.#upload === upload) return;
    if (upload.isEndedByCable) throw endedByCable();
    throw new Fault("upload_incomplete", "The upload was dropped before its body was complete");
  }

  /** An upload begins: ends the one that it restarts, or, over the cable, the one that it has priority over. */
  #makeRoom(source: UploadSource): void {
    const upload = this.#upload;
    const isCable =
      isOverCable(source.transport) && !("source" in upload && isOverCable(upload.source.transport));
    if (upload.phase === "streaming") upload.isEndedByCable = isCable;
    if (upload.phase !== "held") this.#forget(isCable ? "one over the cable begins" : "it begins again");
    else {
      this.#rest();
      this.#options.log.info("dropped a download: an upload over USB begins");
      upload.onEnded?.();
    }
  }

  #complete(
    { source, consumer }: Streaming | Collecting,
    last: ChunkMark | undefined,
    facts: UploadFacts,
  ): Promise<JsonAnswer> {
    this.#silence.stop();
    // A turn later, so that whatever it does finds this phase, and its own throwing is a rejection.
    const answer = Promise.resolve()
      .then(() => consumer.complete(facts))
      .then(
        (answer) => {
          this.#end(source, last, { answer });
          return answer;
        },
        (error: unknown) => {
          this.#end(source, last, { error });
          throw error;
        },
      );
    this.#upload = { phase: "completing", source, last, answer };
    return answer;
  }

  /** What came in chunks is remembered, for a client that has lost the answer and sends the last one again. */
  #end(source: UploadSource, last: ChunkMark | undefined, outcome: Outcome): void {
    this.#rest();
    if (!last) return;
    this.#upload = { phase: "ended", source, last, outcome };
    this.#silence.restart();
  }

  #forget(reason: string): void {
    const upload = this.#upload;
    if (upload.phase === "completing" || upload.phase === "held") return;
    this.#rest();
    if (upload.phase !== "streaming" && upload.phase !== "collecting") return;
    this.#options.log.info(`dropped an upload over ${upload.source.transport}: ${reason}`);
    this.#abort(upload.consumer);
  }

  #rest(): void {
    this.#upload = IDLE;
    this.#silence.stop();
  }

  /** The caller has an error of its own to report, or no client to report one to. */
  #abort(consumer: UploadConsumer): void {
    try {
      consumer.abort();
    } catch (error) {
      this.#options.log.error(`could not clean up after an upload: ${error}`);
    }
  }
}

/** An answer that is sent again must not repeat its side effect, such as a restart. */
function withoutConsequence(answer: JsonAnswer): JsonAnswer {
  const { onSent: _, isFinal: __, ...rest } = answer;
  return rest;
}
