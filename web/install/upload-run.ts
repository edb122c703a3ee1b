/**
 * Uploads one file to the console, with progress, rate, error and cancellation. An upload can outlive its view; an
 * error that no view can show becomes a notice.
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

  /** `undefined` while no upload runs. */
  get transfer(): ReadonlySignal<Transfer | undefined> {
    return this.#transfer;
  }

  /** Error of the last upload; `undefined` if it was cancelled, or if a notice has reported the error. */
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
   * Sends a file. An error is reported once: in `error` if a view is registered, otherwise as a notice.
   * @returns the result of `send`; `undefined` after an error, or if an upload is already running
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

  /** Clears `error`. */
  clearError(): void {
    this.#error.value = undefined;
  }

  /** Cancels the upload, unless all bytes are sent: the console may then have applied the file already. */
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
  /** Average over the last few seconds; `undefined` during the first {@link LEAST_MS}. */
  readonly bytesPerSecond: number | undefined;
  readonly secondsLeft: number | undefined;
}

/** Whether all bytes are sent: the console does the rest, and the upload can no longer be cancelled. */
export function hasAllLeft(transfer: Transfer | undefined): boolean {
  return transfer !== undefined && transfer.sentBytes >= transfer.totalBytes;
}

/** Long enough that one slow chunk does not make the remaining time jump, short enough to follow a change of speed. */
const WINDOW_MS = 4000;
/** A rate over a shorter time means nothing: the first bytes go straight into buffers. */
const LEAST_MS = 500;

/** Measures the rate of one transfer. */
export class TransferMeter {
  readonly #totalBytes: number;
  readonly #samples: { readonly atMs: number; readonly sentBytes: number }[];

  /** @param nowMs time of a monotonic clock */
  constructor(totalBytes: number, nowMs: number) {
    this.#totalBytes = totalBytes;
    this.#samples = [{ atMs: nowMs, sentBytes: 0 }];
  }

  update(sentBytes: number, nowMs: number): Transfer {
    const samples = this.#samples;
    samples.push({ atMs: nowMs, sentBytes });
    // One sample at least as old as the window stays, so that the rate covers the whole window.
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
