/**
 * Downloads a file from the hub, or from where the hub redirects to. Resumes after each interruption, as long as that
 * makes progress.
 *
 *   asking --head--> receiving --all--> ended
 *     ^                |    |
 *     |                |    +--refused, another file, what a callback throws--> ended
 *     +---- waiting <--+ cut, busy
 *
 * The receiver of the bytes cannot go back, so a file that has changed in between is an error.
 */
import { Fault } from "../protocol/fault.js";
import type { Fields } from "../protocol/http/fields.js";
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { TimerHandle } from "../protocol/ports/runtime.js";
import { type PublisherTexts, publisherTexts } from "../protocol/signature/statements.js";
import { type AnswerHead, ByteCollector } from "./answer-head.js";
import { ANSWER_LIMIT_BYTES } from "./connection.js";
import { HttpExchange, refusalFault, waitOf } from "./http-client.js";
import { backoffMs, chanceOf } from "./link-state.js";
import type { HubClientPorts } from "./ports.js";
import { authorityOf, downloadAddress, type WebAddress } from "./web-address.js";

/** Between tries of a download: networks that cut are there again at once, hubs that restart within seconds. */
const DOWNLOAD_BACKOFF = Object.freeze({ firstMs: 100, lastMs: 30_000 });

/** Tries of a download in a row that bring nothing, after which it is given up: about half a minute. */
export const DOWNLOAD_TRIES = 8;

/** Longest that a download waits because it was told to: it holds up other uploads meanwhile. */
const DOWNLOAD_WAIT_LIMIT_MS = 60_000;

// What a response head says about a file, whole (200) or from an offset (206; RFC 9110 §14.4, §8.8.3).

export interface DownloadFacts {
  readonly sizeBytes: number;
  /** SHA-256 of the whole file, hexadecimal, where the ETag is one. Not verified yet. */
  readonly sha256: string | undefined;
  /** `X-Svc-Signature`, as it was sent. Not verified yet. */
  readonly signature: string | undefined;
  /** `X-Svc-Publisher-…`, likewise. */
  readonly publisher: PublisherTexts | undefined;
}

/** Position and size in a field that says which bytes come. */
interface ContentRange {
  readonly firstByte: number;
  readonly lastByte: number;
  readonly sizeBytes: number;
}

const SHA256_TAG = /^"([0-9a-f]{64})"$/;
const CONTENT_RANGE = /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15})$/;
const STRONG_TAG = /^"[!#-~]*"$/;

/** @throws {Fault} `download_failed` where the length is not said beforehand */
function readFacts({ fields, framing }: AnswerHead): DownloadFacts {
  if (framing.kind === "chunked" || framing.kind === "until_close")
    throw new Fault("download_failed", "The hub does not send the length of the file");
  const sizeBytes = framing.kind === "length" ? framing.byteLength : 0;
  const sha256 = SHA256_TAG.exec(fields.single("etag") ?? "")?.[1];
  const publisher = publisherTexts(({ header }) => fields.single(header));
  return { sizeBytes, sha256, signature: fields.single("x-svc-signature"), publisher };
}

/** What tells one version of a file from the next; a weak one does not (RFC 9110 §13.1.5). */
function strongTag(fields: Fields): string | undefined {
  const tag = fields.single("etag");
  return tag !== undefined && STRONG_TAG.test(tag) ? tag : undefined;
}

/** @throws {Fault} `download_failed` where there is none, or one that makes no sense */
function readContentRange(fields: Fields): ContentRange {
  const match = CONTENT_RANGE.exec(fields.single("content-range") ?? "");
  const [firstByte, lastByte, sizeBytes] = match ? match.slice(1).map(Number) : [];
  if (firstByte === undefined || lastByte === undefined || sizeBytes === undefined) throw noRange();
  if (firstByte > lastByte || lastByte >= sizeBytes) throw noRange();
  return { firstByte, lastByte, sizeBytes };
}

function noRange(): Fault {
  return new Fault("download_failed", "The hub does not say which part of the file it sends");
}

// Tracks how much of a file has arrived, and whether the next response continues where the last one was cut (RFC 9110
// §13.1.5, §14). Has no connection.

interface FileSink {
  /** Comes once, before any bytes. */
  onHead?(facts: DownloadFacts): void;
  /** The next bytes in order, each once, reused once this returns. */
  onBytes(bytes: Uint8Array): void;
}

/** What is known of the file once the first answer has come. */
interface KnownFile {
  readonly facts: DownloadFacts;
  /** Without one it cannot be resumed. */
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

  /** What is known of the file, once all of it was handed over. */
  get complete(): DownloadFacts | undefined {
    const facts = this.#file?.facts;
    return facts && this.#receivedBytes === facts.sizeBytes ? facts : undefined;
  }

  /** Whether what is missing can be asked for. */
  get isResumable(): boolean {
    return this.#receivedBytes === 0 || this.#file?.tag !== undefined;
  }

  /** The fields that ask for what is missing. */
  get fields(): Readonly<Record<string, string>> {
    if (this.#receivedBytes === 0) return {};
    return { range: `bytes=${this.#receivedBytes}-`, "if-range": this.#file?.tag ?? "" };
  }

  /**
   * An answer begins.
   * @returns whether it is the file, or the part of it that was asked for; else it is a refusal
   * @throws {Fault} `download_failed` where it is another file, or another part; what the sink throws
   */
  begin(head: AnswerHead): boolean {
    if (head.status === PARTIAL_CONTENT) this.#checkPart(head);
    else if (head.status === OK) this.#beginWhole(head);
    else if (head.status === RANGE_NOT_SATISFIABLE && this.#receivedBytes > 0) throw another();
    else return false;
    return true;
  }

  /** @throws {Fault} `download_failed` for more than was announced; what the sink throws */
  take(bytes: Uint8Array): void {
    const sizeBytes = this.#file?.facts.sizeBytes ?? 0;
    if (this.#receivedBytes + bytes.length > sizeBytes)
      throw new Fault("download_failed", `Received more than the announced ${sizeBytes} bytes`);
    this.#receivedBytes += bytes.length;
    this.#sink.onBytes(bytes);
  }

  #beginWhole(head: AnswerHead): void {
    // The hub sends a part only where the tag is still the same: all of it is another file.
    if (this.#receivedBytes > 0) throw another();
    const facts = readFacts(head);
    const tag = strongTag(head.fields);
    const before = this.#file;
    if (before && (before.tag !== tag || before.facts.sizeBytes !== facts.sizeBytes)) throw another();
    this.#file = { facts, tag };
    if (!before) this.#sink.onHead?.(facts);
  }

  #checkPart({ fields, framing }: AnswerHead): void {
    const { firstByte, lastByte, sizeBytes } = readContentRange(fields);
    if (!this.#isSame(fields) || sizeBytes !== this.#file?.facts.sizeBytes) throw another();
    const isWhatFollows = firstByte === this.#receivedBytes && this.#receivedBytes > 0;
    const isThatLong = framing.kind !== "length" || framing.byteLength === lastByte - firstByte + 1;
    if (!isWhatFollows || !isThatLong)
      throw new Fault("download_failed", `Received another part than from byte ${this.#receivedBytes}`);
  }

  /** RFC 9110 §15.3.7: a part comes with the tag that the whole would have. */
  #isSame(fields: Fields): boolean {
    const tag = strongTag(fields);
    return tag !== undefined && tag === this.#file?.tag;
  }
}

function another(): Fault {
  return new Fault("download_failed", "The file changed while it was downloaded");
}

/** What a callback of it throws ends the download. */
export interface DownloadOptions extends FileSink {
  readonly ports: HubClientPorts;
  /** Below the API of a hub it is fetched from `hub`, whatever origin it has; any other as it is. */
  readonly url: string;
  readonly hub: HubAddress;
  /** Told to `hub` alone. */
  readonly token: string;
  /** `url` may be at another origin than the hub: a key that is trusted has signed it. */
  readonly isVouchedFor?: boolean;
}

/** An answer that is no part of the file. */
interface RefusedAnswer {
  readonly head: AnswerHead;
  readonly body: ByteCollector;
}

/** Statuses that may be others in a moment (RFC 9110 §15.5.9, §15.6; RFC 6585 §4). */
const PASSING_STATUSES: readonly number[] = Object.freeze([408, 429, 500, 502, 503, 504]);

export class Download {
  /**
   * Settles once all bytes were handed over, or with why they will not be: what a callback threw; `hub_unreachable`
   * after several tries without progress; `download_failed` where the file became another in between, or it was closed;
   * `download_refused` where the address leads to the console itself;
   * else what the server says (`app_retracted`, `hub_refused` …).
   */
  readonly finished: Promise<DownloadFacts>;
  readonly #options: DownloadOptions;
  readonly #address: WebAddress;
  readonly #isOfHub: boolean;
  readonly #progress: FileProgress;
  #resolve: (facts: DownloadFacts) => void = ignore;
  #reject: (error: unknown) => void = ignore;
  #exchange: HttpExchange | undefined;
  #refused: RefusedAnswer | undefined;
  #wait: TimerHandle | undefined;
  /** Where the last try began. */
  #startBytes = 0;
  /** Tries in a row that have brought nothing. */
  #emptyTries = 0;
  #isPaused = false;
  #isEnded = false;

  /**
   * Begins at once; no callback runs inside.
   * @throws {Fault} `bad_parameter` for what is no address, `download_refused` for one where it may not go
   */
  constructor(options: DownloadOptions) {
    this.#options = options;
    const { address, place } = downloadAddress(options.url, options.hub);
    if (place === "other" && !options.isVouchedFor) throw refused(address);
    this.#address = address;
    this.#isOfHub = place === "api";
    this.#progress = new FileProgress(options);
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.finished.catch(ignore); // a caller that closes a download may ignore its result
    this.#ask();
  }

  /** Nothing more is read until `resume`; what was read already may still come, 4 KiB at most. */
  pause(): void {
    this.#isPaused = true;
    this.#exchange?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#exchange?.resume();
  }

  /** Stops it. May be called twice; no callback follows, and `finished` fails. */
  close(): void {
    this.#fail(new Fault("download_failed", "The download was stopped"));
  }

  #ask(): void {
    const { ports } = this.#options;
    const to = this.#address;
    this.#startBytes = this.#progress.receivedBytes;
    this.#refused = undefined;
    const request = { to, method: "GET", target: to.target, fields: this.#fields() };
    this.#exchange = new HttpExchange(ports, request, {
      onHead: (head) => this.#guard(() => this.#onHead(head)),
      onBytes: (bytes) => this.#guard(() => this.#onBytes(bytes)),
      onEnd: (fault) => this.#onEnd(fault),
    });
    if (this.#isPaused) this.#exchange.pause();
  }

  /** RFC 9110 §12.5.3: bytes are counted and hashed as they are stored, so they come without a coding. */
  #fields(): Readonly<Record<string, string>> {
    const fields = { ...this.#progress.fields, "accept-encoding": "identity" };
    return this.#isOfHub ? { ...fields, authorization: `Bearer ${this.#options.token}` } : fields;
  }

  #onHead(head: AnswerHead): void {
    if (this.#progress.begin(head)) return;
    this.#refused = { head, body: new ByteCollector(ANSWER_LIMIT_BYTES) };
  }

  #onBytes(bytes: Uint8Array): void {
    if (this.#refused) this.#refused.body.push(bytes);
    else this.#progress.take(bytes);
  }

  #onEnd(fault: Fault | undefined): void {
    const { complete } = this.#progress;
    if (this.#refused) this.#onRefused(this.#refused);
    else if (complete) this.#complete(complete);
    else if (fault?.code === "not_implemented") this.#fail(fault);
    else if (fault?.code === "bad_parameter") this.#fail(new Fault("download_refused", fault.message));
    else this.#onCut(fault ?? new Fault("hub_unreachable", "The file ended early"));
  }

  #onRefused({ head: { status, fields }, body }: RefusedAnswer): void {
    const fault = refusalFault({ status, fields, body: body.join() });
    if (PASSING_STATUSES.includes(status)) this.#onCut(fault);
    else this.#fail(fault);
  }

  #onCut(fault: Fault): void {
    const hasProgressed = this.#progress.receivedBytes > this.#startBytes;
    this.#emptyTries = hasProgressed ? 0 : this.#emptyTries + 1;
    if (!this.#progress.isResumable)
      this.#fail(
        new Fault("download_failed", "The download broke, and the hub cannot resume it", { cause: fault }),
      );
    else if (this.#emptyTries >= DOWNLOAD_TRIES) this.#fail(fault);
    else this.#askLater(waitOf(fault));
  }

  #askLater(wantedMs: number): void {
    const { timer, random } = this.#options.ports;
    const delayMs = backoffMs(Math.max(this.#emptyTries, 1), chanceOf(random), DOWNLOAD_BACKOFF);
    this.#exchange = undefined;
    this.#wait = timer.set(() => this.#ask(), Math.max(delayMs, Math.min(wantedMs, DOWNLOAD_WAIT_LIMIT_MS)));
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
  const message = `"${authorityOf(address)}" is not the console's hub, and no key of a hub has signed the address`;
  return new Fault("download_refused", message);
}

function ignore(): void {
  // The caller ignores the result, or has received it already.
}
