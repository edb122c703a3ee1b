/**
 * The one upload of the console, for apps and firmware, over HTTP and USB (docs/spec/uploads.md#one-upload): carries
 * out what `upload-phase.ts` decides. Never holds a file: passes bytes to the target's sink as they arrive, so that memory
 * use does not depend on the file's size.
 */
import { Fault } from "../../../protocol/fault.js";
import { CHUNK_LIMIT_BYTES } from "../../../protocol/limits.js";
import type { Crc32Constructor } from "../../../protocol/ports/crypto.js";
import type { Clock, Memory, Timer } from "../../../protocol/ports/runtime.js";
import type { Call } from "../api/call.js";
import { IdleTimeout } from "../api/pacer.js";
import type { Exchange, JsonAnswer, Transport } from "../api/request.js";
import type { Logger } from "../logs/log-line.js";
import { ChunkBuffer, ChunkReceiver } from "./chunk-buffer.js";
import { SlowHosts } from "./slow-hosts.js";
import {
  acceptance,
  type ChunkHead,
  type ChunkMark,
  type Collecting,
  checkFree,
  checkSize,
  chunkTooLarge,
  emptyBody,
  fileTooLarge,
  HELD,
  type HeldDownload,
  IDLE,
  isOverCable,
  isSame,
  type Outcome,
  publisherOf,
  REPLACED,
  readChunkHead,
  replaced,
  type Streaming,
  signatureOf,
  stepOf,
  type UploadFacts,
  type UploadPace,
  type UploadPhase,
  type UploadSink,
  type UploadSource,
  type UploadStart,
  type UploadTarget,
  withoutBody,
} from "./upload-phase.js";

const NEVER_SLOW: UploadPace = Object.freeze({ isSlow: false });

interface UploadsOptions {
  readonly timer: Timer;
  readonly clock: Clock;
  readonly Crc32: Crc32Constructor;
  readonly memory: Memory;
  readonly log: Logger;
  /** Called when memory is short for an upload over the cable: ends the network's work in progress. */
  readonly endOthers?: () => void;
}

export class Uploads implements UploadPace {
  /** Frees memory for an upload over the cable: ends the network's work in progress. */
  readonly endOthers: (() => void) | undefined;
  readonly #options: UploadsOptions;
  readonly #silence: IdleTimeout;
  readonly #buffer: ChunkBuffer;
  #upload: UploadPhase = IDLE;
  /** How far an upload in chunks has come, also before it has begun again. */
  #reachedBytes = 0;
  /** The machine that has begun the current upload over the network. */
  #host: string | undefined;
  readonly #slowHosts = new SlowHosts();

  constructor(options: UploadsOptions) {
    const { timer, clock, memory, endOthers } = options;
    this.endOthers = endOthers;
    this.#buffer = new ChunkBuffer(memory.allocate(CHUNK_LIMIT_BYTES).bytes);
    this.#options = options;
    this.#silence = new IdleTimeout(timer, clock, (reason) => {
      this.#noteSlow();
      this.#forget(reason);
    });
  }

  /**
   * What an endpoint that takes files does with a request: `receive: ({ uploads }, call) =>
   * uploads.receive(call, target)`. The endpoint declares `CHUNK_PARAMETERS` or `UPLOAD_PARAMETERS`.
   *
   * @throws {Fault} `missing_parameter`, `bad_parameter`, `length_required`, `bad_request`, `upload_busy`,
   *   `chunk_out_of_order`, `chunk_too_large`, `file_too_large`, and what the target throws
   */
  receive(call: Call, target: UploadTarget): Exchange {
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
  receiveWhole(call: Call, target: UploadTarget): Exchange {
    return this.#receiveWhole(call, { target, transport: call.request.transport });
  }

  /**
   * Blocks uploads while the console downloads a file itself, until {@link release}. An upload over the cable still
   * begins, and any upload if the download is slow: it ends the download, until {@link keep}.
   *
   * @throws {Fault} `upload_busy`
   */
  hold(download: HeldDownload): void {
    checkFree(this.#upload, "http", NEVER_SLOW);
    this.#silence.stop();
    this.#upload = { phase: "held", download };
  }

  /**
   * The download is complete: from now on no upload ends it.
   * @throws {Fault} `upload_busy` if an upload has ended it
   */
  keep(): void {
    if (this.#upload.phase !== "held") throw replaced();
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

  #receiveChunk(call: Call, source: UploadSource, head: ChunkHead): Exchange {
    const { bodyByteLength } = call.request;
    if (bodyByteLength !== undefined && bodyByteLength > CHUNK_LIMIT_BYTES) throw chunkTooLarge();
    stepOf(this.#upload, source, head, undefined, this);
    const callbacks = {
      onBytes: (bodyBytes: number) => this.#noteBytes(source, head, bodyBytes),
      onChunk: (bytes: Uint8Array) => this.#takeChunk(call, source, head, bytes),
    };
    return new ChunkReceiver(this.#buffer, callbacks, bodyByteLength);
  }

  /** A chunk is coming in, however slowly; so many bytes of it are there. What was there before counts once. */
  #noteBytes(source: UploadSource, { number }: ChunkHead, bodyBytes: number): void {
    const upload = this.#upload;
    if (upload.phase !== "collecting" || !isSame(upload.source, source)) return;
    const isNext = number === upload.last.number + 1;
    const reachedBytes = (isNext ? upload.receivedBytes : 0) + bodyBytes;
    const newBytes = Math.max(0, reachedBytes - this.#reachedBytes);
    this.#reachedBytes += newBytes;
    this.#silence.restart(newBytes);
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
    switch (stepOf(this.#upload, source, head, mark, this)) {
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
    const isAgain = this.#isCollecting(source); // no name for the upload before: its memory is to be free
    if (!isAgain) this.#reachedBytes = mark.byteLength;
    this.#makeRoom(source);
    checkSize(source.target, mark, 0);
    const mostBytes = mark.total * CHUNK_LIMIT_BYTES;
    const sink = this.#open(source, { call, totalBytes: undefined, mostBytes });
    const last = { ...mark, number: 0 };
    this.#host = call.request.host;
    this.#silence.checkRate(isAgain ? 0 : mark.byteLength, isAgain);
    const proofs = { signature: undefined, publisher: undefined };
    return { phase: "collecting", source, sink, last, receivedBytes: 0, ...proofs };
  }

  #isCollecting(source: UploadSource): boolean {
    return this.#upload.phase === "collecting" && isSame(this.#upload.source, source);
  }

  /** Whether another upload over the network may take the place of the current one. */
  get isSlow(): boolean {
    if (this.#silence.isSlow) return true;
    return this.#host !== undefined && this.#slowHosts.has(this.#host, this.#options.clock.uptimeMs());
  }

  #noteSlow(): void {
    if (this.#host !== undefined) this.#slowHosts.add(this.#host, this.#options.clock.uptimeMs());
  }

  /** Begins the upload. If memory is short for one over the cable, ends the network's work and tries once more. */
  #open({ target, transport }: UploadSource, start: UploadStart): UploadSink {
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
    const { source, sink } = before;
    try {
      checkSize(source.target, last, before.receivedBytes);
      sink.write(bytes, last.checksum);
    } catch (error) {
      this.#abort(sink);
      this.#end(source, last, { error });
      throw error;
    }
    const signature = signatureOf(call) ?? before.signature;
    const reported = publisherOf(call);
    const publisher =
      reported && before.publisher ? { ...before.publisher, ...reported } : (reported ?? before.publisher);
    if (last.number === last.total) return this.#complete(before, last, { call, signature, publisher });
    const receivedBytes = before.receivedBytes + last.byteLength;
    // Not spread from `before`: on XS a spread takes three times as long, for each chunk.
    const phase = "collecting";
    const upload: Collecting = { phase, source, sink, last, receivedBytes, signature, publisher };
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

  /** The exchange is the only object between the transport and the target's sink. */
  #receiveWhole(call: Call, source: UploadSource): Exchange {
    const { target, transport } = source;
    const { limitBytes } = target;
    const totalBytes = call.request.bodyByteLength;
    checkFree(this.#upload, transport, this);
    if (totalBytes !== undefined && totalBytes > limitBytes) throw fileTooLarge(limitBytes);
    this.#makeRoom(source);
    const facts = { call, signature: signatureOf(call), publisher: publisherOf(call) };
    let receivedBytes = 0;
    const forget = (reason: string) => {
      if (this.#upload === upload) this.#forget(reason);
    };
    const exchange: Exchange = {
      write: (bytes) => {
        receivedBytes += bytes.length;
        try {
          if (receivedBytes > limitBytes) throw fileTooLarge(limitBytes);
          if (this.#upload !== upload) this.#checkStreaming(upload);
          this.#silence.restart(bytes.length);
          upload.sink.write(bytes);
        } catch (error) {
          forget("it was refused");
          throw error;
        }
      },
      end: () => {
        if (receivedBytes === 0) {
          forget("its body is empty");
          throw emptyBody();
        }
        this.#checkStreaming(upload);
        return this.#complete(upload, undefined, facts);
      },
      abort: () => forget("its connection has ended"),
    };
    const sink = target.begin({ call, totalBytes, mostBytes: undefined });
    const upload: Streaming = { phase: "streaming", source, sink, exchange };
    this.#upload = upload;
    this.#host = call.request.host;
    this.#silence.checkRate(0);
    return exchange;
  }

  /** @throws {Fault} `upload_busy` where another has taken its place, `upload_incomplete` where it was forgotten */
  #checkStreaming(upload: Streaming): void {
    if (this.#upload === upload) return;
    if (upload.sink === REPLACED) throw replaced();
    throw new Fault("upload_incomplete", "The upload was dropped before its body was complete");
  }

  /** An upload begins: ends the one that it restarts, or whose place it takes. */
  #makeRoom(source: UploadSource): void {
    const upload = this.#upload;
    if (upload.phase !== "held") {
      const isAgain = upload.phase === "collecting" && isSame(upload.source, source);
      const isCable = isOverCable(source.transport);
      const why = isCable ? "one over the cable begins" : "it was slow, and another begins";
      this.#forget(isAgain ? "it begins again" : why);
      if (upload.phase === "streaming") endRequest(upload);
    } else {
      this.#rest();
      this.#options.log.info(`dropped a download: an upload over ${source.transport} begins`);
      upload.download?.end();
    }
  }

  #complete(
    { source, sink }: Streaming | Collecting,
    last: ChunkMark | undefined,
    facts: UploadFacts,
  ): Promise<JsonAnswer> {
    this.#silence.stop();
    if (this.#host !== undefined) this.#slowHosts.delete(this.#host);
    // A turn later, so that whatever it does finds this phase, and its own throwing is a rejection.
    const answer = Promise.resolve()
      .then(() => sink.end(facts))
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
    // Who ends its upload itself, before others may take its place, has kept them out as well.
    if (upload.phase !== "ended" && this.#silence.wasSlow) this.#noteSlow();
    this.#rest();
    if (upload.phase !== "streaming" && upload.phase !== "collecting") return;
    this.#options.log.info(`dropped an upload over ${upload.source.transport}: ${reason}`);
    this.#abort(upload.sink);
  }

  #rest(): void {
    this.#upload = IDLE;
    this.#silence.stop();
  }

  /** The caller has an error of its own to report, or no client to report one to. */
  #abort(sink: UploadSink): void {
    try {
      sink.abort();
    } catch (error) {
      this.#options.log.error(`could not clean up after an upload: ${error}`);
    }
  }
}

/** The request of an upload that was replaced hears of it now, and makes room; one that cannot does at its next byte. */
function endRequest(upload: Streaming): void {
  upload.sink = REPLACED;
  upload.exchange.onFailure?.(replaced());
}

/** An answer that is sent again must not repeat its side effect, such as a restart. */
function withoutConsequence(answer: JsonAnswer): JsonAnswer {
  const { onSent: _, isFinal: __, ...rest } = answer;
  return rest;
}
