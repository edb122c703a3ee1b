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
import type { HubAddress } from "../protocol/hub/hub-address.js";
import type { TimerHandle } from "../protocol/ports/timer.js";
import type { AnswerHead } from "./answer-head.js";
import { backoffMs, chanceOf } from "./backoff.js";
import { ByteCollector } from "./byte-collector.js";
import type { DownloadFacts } from "./file-facts.js";
import { FileProgress, type FileSink } from "./file-progress.js";
import { HttpExchange } from "./http-client.js";
import { ANSWER_LIMIT_BYTES, DOWNLOAD_BACKOFF, DOWNLOAD_TRIES, DOWNLOAD_WAIT_LIMIT_MS } from "./limits.js";
import type { HubClientPorts } from "./ports.js";
import { refusalFault, waitOf } from "./refusal.js";
import { authorityOf, downloadAddress, type WebAddress } from "./web-address.js";

export type { DownloadFacts } from "./file-facts.js";

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
    else this.#onCut(fault ?? new Fault("hub_unreachable", "The file has ended before its end"));
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
      this.#fail(new Fault("download_failed", "The file was cut, and cannot be resumed", { cause: fault }));
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
