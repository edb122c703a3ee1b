/**
 * Uploads one file to the console: progress, rate, error, and cancellation. An upload outlives its view; an error
 * without a view becomes a notice.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Device } from "../../device-client/device.js";
import { type UserError, userErrorOf } from "../advice.js";
import { failureNotice } from "../session/notices.js";
import type { Session } from "../session/session.js";

export interface UploadOptions {
  readonly onProgress: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

export class UploadRun {
  readonly #session: Pick<Session, "attempt" | "notify">;
  readonly #transfer = signal<Transfer | undefined>(undefined);
  readonly #error = signal<UserError | undefined>(undefined);
  #abort: AbortController | undefined;
  #viewers = 0;

  constructor(session: Pick<Session, "attempt" | "notify">) {
    this.#session = session;
  }

  /** `undefined` while nothing is sent. */
  get transfer(): ReadonlySignal<Transfer | undefined> {
    return this.#transfer;
  }

  /** Of the last attempt; one that was cancelled has none, nor has one that a notice has told of. */
  get error(): ReadonlySignal<UserError | undefined> {
    return this.#error;
  }

  get isShown(): boolean {
    return this.#viewers > 0;
  }

  /** Registers a view of `transfer` and `error`, until it calls the returned function. */
  show(): () => void {
    this.#viewers += 1;
    return () => {
      this.#viewers -= 1;
    };
  }

  /**
   * Sends a file. What goes wrong is told once: by `error`, beside what has failed, where that is shown.
   * @returns what `send` does, or `undefined`
   */
  async start<Result>(
    what: string,
    totalBytes: number,
    send: (device: Device, options: UploadOptions) => Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#abort) return undefined;
    const abort = new AbortController();
    const meter = new TransferMeter(totalBytes, performance.now());
    const onProgress = (sentBytes: number) => {
      this.#transfer.value = meter.update(sentBytes, performance.now());
    };
    this.#abort = abort;
    this.#error.value = undefined;
    onProgress(0);
    try {
      return await this.#session.attempt((device) => send(device, { onProgress, signal: abort.signal }));
    } catch (error) {
      this.#report(what, error, abort.signal.aborted);
      return undefined;
    } finally {
      this.#abort = undefined;
      this.#transfer.value = undefined;
    }
  }

  /** What went wrong is no longer of interest. */
  clearError(): void {
    this.#error.value = undefined;
  }

  /** Ends it, unless the console has got all: then it may have done what the file is for. */
  cancel(): void {
    if (!hasAllLeft(this.#transfer.peek())) this.#abort?.abort();
  }

  #report(what: string, error: unknown, isCancelled: boolean): void {
    if (isCancelled) this.#session.notify({ kind: "told", text: `Cancelled: ${what}` });
    else if (this.isShown) this.#error.value = userErrorOf(error);
    else this.#session.notify(failureNotice(what, error));
  }
}

export interface Transfer {
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** Over the last few seconds; `undefined` until there is enough to tell. */
  readonly bytesPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
}

/** All bytes are sent: the receiver does the rest, and the transfer can no longer be cancelled. */
export function hasAllLeft(transfer: Transfer | undefined): boolean {
  return transfer !== undefined && transfer.sentBytes >= transfer.totalBytes;
}

/** Long enough that a single slow chunk does not make the time left jump, short enough to follow a change. */
const WINDOW_MS = 4000;
/** Less than this says nothing: the first bytes go into buffers at once. */
const LEAST_MS = 500;

/** Measures one transfer. */
export class TransferMeter {
  readonly #totalBytes: number;
  readonly #samples: { readonly atMs: number; readonly sentBytes: number }[];

  /** @param nowMs of a clock that goes only forwards */
  constructor(totalBytes: number, nowMs: number) {
    this.#totalBytes = totalBytes;
    this.#samples = [{ atMs: nowMs, sentBytes: 0 }];
  }

  update(sentBytes: number, nowMs: number): Transfer {
    const samples = this.#samples;
    samples.push({ atMs: nowMs, sentBytes });
    // One that is older than the window stays: what is measured reaches back at least as far.
    while (samples.length > 2 && nowMs - (samples[1]?.atMs ?? nowMs) >= WINDOW_MS) samples.shift();
    const bytesPerSecond = this.#rate();
    const leftBytes = this.#totalBytes - sentBytes;
    const secondsLeft = bytesPerSecond ? leftBytes / bytesPerSecond : undefined;
    return { sentBytes, totalBytes: this.#totalBytes, bytesPerSecond, secondsLeft };
  }

  #rate(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.atMs - first.atMs < LEAST_MS) return undefined;
    return ((last.sentBytes - first.sentBytes) * 1000) / (last.atMs - first.atMs);
  }
}
