/**
 * Downloads a file from the hub, or from an address that the hub names. Resumes after interruptions as long as there is
 * progress.
 *
 *   request --head--> receiving --all--> ended
 *     ^                |    |
 *     |                |    +--error response, changed file, exception of a callback--> ended
 *     +---- waiting <--+ interrupted, busy
 *
 * The receiver cannot discard bytes, so a file that changes during the download is an error.
 */
import { Fault } from "../protocol/fault.js";
import type { Fields } from "../protocol/http/fields.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import { LEAST_RECEIVED_BYTES_PER_S, MinimumRate, USUAL_BYTES_PER_S } from "../protocol/minimum-rate.js";
import type { TimerHandle } from "../protocol/ports/runtime.js";
import { type PublisherTexts, publisherTexts } from "../protocol/signature/statements.js";
import { type AnswerHead, ByteCollector } from "./answer-head.js";
import { ANSWER_LIMIT_BYTES } from "./connection.js";
import { HttpExchange, refusalFault, waitOf } from "./http-client.js";
import { backoffMs, chanceOf } from "./link-state.js";
import type { HubClientPorts } from "./ports.js";
import { authorityOf, downloadAddress, type WebAddress } from "./web-address.js";

/** Delay between attempts: most interruptions of the network are short, and hubs restart within seconds. */
const DOWNLOAD_BACKOFF = Object.freeze({ firstMs: 100, lastMs: 30_000 });

/** Attempts in a row without progress after which a download fails: about half a minute. */
export const DOWNLOAD_TRIES = 8;

/** Time for interruptions, beyond that of the bytes at the minimum rate: a download blocks uploads. */
const DOWNLOAD_GRACE_MS = 10 * 60_000;

/** Longest delay that a hub can request with `Retry-After`: a waiting download blocks other uploads. */
const DOWNLOAD_WAIT_LIMIT_MS = 60_000;

// Reads from a response head the facts about a file, whole (200) or from an offset (206; RFC 9110 §14.4, §8.8.3).

export interface DownloadFacts {
  readonly sizeBytes: number;
  /** SHA-256 of the whole file in hexadecimal, if the ETag is one. Not verified. */
  readonly sha256: string | undefined;
  /** `X-Svc-Signature`, as sent. Not verified. */
  readonly signature: string | undefined;
  /** `X-Svc-Publisher-…`, as sent. Not verified. */
  readonly publisher: PublisherTexts | undefined;
}

/** Value of the field `Content-Range`. */
interface ContentRange {
  readonly firstByte: number;
  readonly lastByte: number;
  readonly sizeBytes: number;
}

const SHA256_TAG = /^"([0-9a-f]{64})"$/;
const CONTENT_RANGE = /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15})$/;
const STRONG_TAG = /^"[!#-~]*"$/;

/** @throws {Fault} `download_failed` if the head does not declare the length */
function readFacts({ fields, framing }: AnswerHead): DownloadFacts {
  if (framing.kind === "chunked" || framing.kind === "until_close")
    throw new Fault("download_failed", "The hub does not declare the length of the file");
  const sizeBytes = framing.kind === "length" ? framing.byteLength : 0;
  const sha256 = SHA256_TAG.exec(fields.single("etag") ?? "")?.[1];
  const publisher = publisherTexts(({ header }) => fields.single(header));
  return { sizeBytes, sha256, signature: fields.single("x-svc-signature"), publisher };
}

/** The entity tag; a weak one does not identify a version of the file (RFC 9110 §13.1.5). */
function strongTag(fields: Fields): string | undefined {
  const tag = fields.single("etag");
  return tag !== undefined && STRONG_TAG.test(tag) ? tag : undefined;
}

/** @throws {Fault} `download_failed` if the field is missing or invalid */
function readContentRange(fields: Fields): ContentRange {
  const match = CONTENT_RANGE.exec(fields.single("content-range") ?? "");
  const [firstByte, lastByte, sizeBytes] = match ? match.slice(1).map(Number) : [];
  if (firstByte === undefined || lastByte === undefined || sizeBytes === undefined) throw noRange();
  if (firstByte > lastByte || lastByte >= sizeBytes) throw noRange();
  return { firstByte, lastByte, sizeBytes };
}

function noRange(): Fault {
  return new Fault("download_failed", "The hub does not declare which part of the file it sends");
}

// Tracks how much of a file has arrived, and whether the next response continues where the last one was cut (RFC 9110
// §13.1.5, §14). Has no connection.

interface FileSink {
  /** Called once, before any bytes. */
  onHead?(facts: DownloadFacts): void;
  /** Receives the bytes in order, each once. The buffer is reused afterwards. */
  onBytes(bytes: Uint8Array): void;
}

/** What the first response declares about the file. */
interface KnownFile {
  readonly facts: DownloadFacts;
  /** Without a tag the download cannot be resumed. */
  readonly tag: string | undefined;
}

const OK = 200;
const PARTIAL_CONTENT = 206;
const RANGE_NOT_SATISFIABLE = 416;

class FileProgress {
  readonly #sink: FileSink;
  #file: KnownFile | undefined;
  #receivedBytes = 0;

  constructor(sink: FileSink) {
    this.#sink = sink;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The facts about the file, once all bytes have arrived. */
  get complete(): DownloadFacts | undefined {
    const facts = this.#file?.facts;
    return facts && this.#receivedBytes === facts.sizeBytes ? facts : undefined;
  }

  /** Whether the missing bytes can be requested. */
  get isResumable(): boolean {
    return this.#receivedBytes === 0 || this.#file?.tag !== undefined;
  }

  /** The fields that request the missing bytes. */
  get fields(): Readonly<Record<string, string>> {
    if (this.#receivedBytes === 0) return {};
    return { range: `bytes=${this.#receivedBytes}-`, "if-range": this.#file?.tag ?? "" };
  }

  /**
   * Checks the head of a response.
   * @returns whether the file or the requested part of it follows; false for an error response
   * @throws {Fault} `download_failed` for a changed file or another part; exceptions of the sink
   */
  begin(head: AnswerHead): boolean {
    if (head.status === PARTIAL_CONTENT) this.#checkPart(head);
    else if (head.status === OK) this.#beginWhole(head);
    else if (head.status === RANGE_NOT_SATISFIABLE && this.#receivedBytes > 0) throw fileChanged();
    else return false;
    return true;
  }

  /** @throws {Fault} `download_failed` for more bytes than declared; exceptions of the sink */
  write(bytes: Uint8Array): void {
    const sizeBytes = this.#file?.facts.sizeBytes ?? 0;
    if (this.#receivedBytes + bytes.length > sizeBytes)
      throw new Fault("download_failed", `Received more than the declared ${sizeBytes} bytes`);
    this.#receivedBytes += bytes.length;
    this.#sink.onBytes(bytes);
  }

  #beginWhole(head: AnswerHead): void {
    // The hub sends a part only if the tag is unchanged, so the whole file means that it changed.
    if (this.#receivedBytes > 0) throw fileChanged();
    const facts = readFacts(head);
    const tag = strongTag(head.fields);
    const before = this.#file;
    if (before && (before.tag !== tag || before.facts.sizeBytes !== facts.sizeBytes)) throw fileChanged();
    this.#file = { facts, tag };
    if (!before) this.#sink.onHead?.(facts);
  }

  #checkPart({ fields, framing }: AnswerHead): void {
    const { firstByte, lastByte, sizeBytes } = readContentRange(fields);
    if (!this.#isSame(fields) || sizeBytes !== this.#file?.facts.sizeBytes) throw fileChanged();
    const isWhatFollows = firstByte === this.#receivedBytes && this.#receivedBytes > 0;
    const isThatLong = framing.kind !== "length" || framing.byteLength === lastByte - firstByte + 1;
    if (!isWhatFollows || !isThatLong)
      throw new Fault(
        "download_failed",
        `Expected the file from byte ${this.#receivedBytes}, received another part`,
      );
  }

  /** RFC 9110 §15.3.7: a part has the same tag as the whole file. */
  #isSame(fields: Fields): boolean {
    const tag = strongTag(fields);
    return tag !== undefined && tag === this.#file?.tag;
  }
}

function fileChanged(): Fault {
  return new Fault("download_failed", "The file changed during the download");
}

/** An exception of a callback ends the download. */
export interface DownloadOptions extends FileSink {
  readonly ports: HubClientPorts;
  /** An address below a hub's API is fetched from `hub`, whatever its origin; any other address is used as it is. */
  readonly url: string;
  readonly hub: HubAddress;
  /** Device token; sent only to `hub`. */
  readonly token: string;
  /** Whether a trusted key has signed `url`, so that it may have another origin than the hub. */
  readonly isVouchedFor?: boolean;
}

/** An error response. */
interface ErrorResponse {
  readonly head: AnswerHead;
  readonly body: ByteCollector;
}

/** Statuses of transient errors (RFC 9110 §15.5.9, §15.6; RFC 6585 §4). */
const TRANSIENT_STATUSES: readonly number[] = Object.freeze([408, 429, 500, 502, 503, 504]);

export class Download {
  /**
   * Resolves once the sink has received all bytes. Rejects with the exception of a callback; `hub_unreachable` after
   * several attempts without progress; `download_failed` if the file changed or the download was closed;
   * `download_refused` if the address leads to the console itself; else the server's error (`app_retracted`,
   * `hub_refused` …).
   */
  readonly finished: Promise<DownloadFacts>;
  readonly #options: DownloadOptions;
  readonly #address: WebAddress;
  readonly #isOfHub: boolean;
  readonly #progress: FileProgress;
  #resolve: (facts: DownloadFacts) => void = ignore;
  #reject: (error: unknown) => void = ignore;
  #exchange: HttpExchange | undefined;
  #errorResponse: ErrorResponse | undefined;
  #wait: TimerHandle | undefined;
  /** Offset at which the current attempt started. */
  #startBytes = 0;
  /** Attempts in a row without progress. */
  #emptyAttempts = 0;
  /** Of the current attempt. */
  readonly #rate = new MinimumRate();
  readonly #startedMs: number;
  #pausedMs: number | undefined;
  #isEnded = false;

  /**
   * Starts immediately; no callback runs inside.
   * @throws {Fault} `bad_parameter` for an invalid address, `download_refused` for a forbidden one
   */
  constructor(options: DownloadOptions) {
    this.#options = options;
    const { address, location } = downloadAddress(options.url, options.hub);
    if (location === "other" && !options.isVouchedFor) throw refused(address);
    this.#address = address;
    this.#isOfHub = location === "api";
    this.#startedMs = options.ports.clock.uptimeMs();
    this.#progress = new FileProgress(options);
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.finished.catch(ignore); // a caller that closes a download may ignore its result
    this.#request();
  }

  /** Stops reading until `resume`; bytes already read may still arrive, 4 KiB at most. */
  pause(): void {
    this.#pausedMs ??= this.#nowMs;
    this.#exchange?.pause();
  }

  resume(): void {
    if (this.#pausedMs !== undefined) this.#rate.pause(this.#nowMs - this.#pausedMs);
    this.#pausedMs = undefined;
    this.#exchange?.resume();
  }

  /** Whether it waits for its server, or gets less than from nearly every network. */
  get isSlow(): boolean {
    return this.#pausedMs === undefined && this.#rate.isBelow(this.#nowMs, USUAL_BYTES_PER_S);
  }

  get #nowMs(): number {
    return this.#options.ports.clock.uptimeMs();
  }

  /** Cancels the download. May be called twice; no callback follows, and `finished` rejects. */
  close(): void {
    this.#fail(new Fault("download_failed", "The download was cancelled"));
  }

  #request(): void {
    const { ports } = this.#options;
    const to = this.#address;
    this.#startBytes = this.#progress.receivedBytes;
    this.#errorResponse = undefined;
    this.#rate.start(this.#nowMs);
    const request = { to, method: "GET", target: to.target, fields: this.#fields() };
    this.#exchange = new HttpExchange(ports, request, {
      onHead: (head) => this.#guard(() => this.#onHead(head)),
      onBytes: (bytes) => this.#guard(() => this.#onBytes(bytes)),
      onEnd: (fault) => this.#onEnd(fault),
    });
    if (this.#pausedMs !== undefined) this.#exchange.pause();
  }

  /** Rules out content codings (RFC 9110 §12.5.3): bytes are counted and hashed as stored. */
  #fields(): Readonly<Record<string, string>> {
    const fields = { ...this.#progress.fields, "accept-encoding": "identity" };
    return this.#isOfHub ? { ...fields, authorization: `Bearer ${this.#options.token}` } : fields;
  }

  #onHead(head: AnswerHead): void {
    if (this.#progress.begin(head)) return;
    this.#errorResponse = { head, body: new ByteCollector(ANSWER_LIMIT_BYTES) };
  }

  #onBytes(bytes: Uint8Array): void {
    this.#rate.add(bytes.length);
    if (this.#errorResponse) this.#errorResponse.body.push(bytes);
    else this.#progress.write(bytes);
  }

  #onEnd(fault: Fault | undefined): void {
    const { complete } = this.#progress;
    if (this.#errorResponse) this.#onErrorResponse(this.#errorResponse);
    else if (complete) this.#complete(complete);
    else if (fault?.code === "not_implemented") this.#fail(fault);
    else if (fault?.code === "bad_parameter") this.#fail(new Fault("download_refused", fault.message));
    else this.#onInterrupted(fault ?? new Fault("hub_unreachable", "The file ended early"));
  }

  #onErrorResponse({ head: { status, fields }, body }: ErrorResponse): void {
    const fault = refusalFault({ status, fields, body: body.join() });
    if (TRANSIENT_STATUSES.includes(status)) this.#onInterrupted(fault);
    else this.#fail(fault);
  }

  #onInterrupted(fault: Fault): void {
    if (this.#isTooSlow) {
      this.#fail(fault);
      return;
    }
    const hasProgressed = this.#progress.receivedBytes > this.#startBytes;
    this.#emptyAttempts = hasProgressed ? 0 : this.#emptyAttempts + 1;
    if (!this.#progress.isResumable)
      this.#fail(
        new Fault("download_failed", "The download was interrupted, and the hub cannot resume it", {
          cause: fault,
        }),
      );
    else if (this.#emptyAttempts >= DOWNLOAD_TRIES) this.#fail(fault);
    else this.#requestLater(waitOf(fault));
  }

  /** Whether it takes longer, with all of its attempts, than the slowest network would need. */
  get #isTooSlow(): boolean {
    const tookMs = this.#nowMs - this.#startedMs;
    const mostMs = DOWNLOAD_GRACE_MS + (this.#progress.receivedBytes * 1000) / LEAST_RECEIVED_BYTES_PER_S;
    return tookMs > mostMs;
  }

  #requestLater(wantedMs: number): void {
    const { timer, random } = this.#options.ports;
    const delayMs = backoffMs(Math.max(this.#emptyAttempts, 1), chanceOf(random), DOWNLOAD_BACKOFF);
    this.#exchange = undefined;
    this.#wait = timer.set(
      () => this.#request(),
      Math.max(delayMs, Math.min(wantedMs, DOWNLOAD_WAIT_LIMIT_MS)),
    );
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }

  #complete(facts: DownloadFacts): void {
    this.#end();
    this.#resolve(facts);
  }

  #fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#end();
    this.#reject(error);
  }

  #end(): void {
    this.#isEnded = true;
    this.#exchange?.close();
    this.#options.ports.timer.clear(this.#wait);
  }
}

function refused(address: WebAddress): Fault {
  const message = `"${authorityOf(address)}" is not the console's hub, and no trusted hub key has signed the address`;
  return new Fault("download_refused", message);
}

function ignore(): void {
  // The caller ignores the result, or has received it already.
}
