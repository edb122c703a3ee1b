/**
 * Uploads one file to the console, with progress, rate, error and cancellation. An upload can outlive its view; an
 * error that no view can show becomes a notice. If the connection breaks, the file is sent again once the console is back
 * (docs/spec/web-console.md#page-upload-again): the console keeps nothing of a part.
 */
import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Device } from "../../device-client/device.js";
import { type UserError, userErrorOf } from "../advice.js";
import { failureNotice } from "../session/notices.js";
import type { Session } from "../session/session.js";

export interface UploadOptions {
  readonly onProgress: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

/** How often a file is sent, at most. */
const ATTEMPTS = 3;
/** Before the file is sent again: a broken connection is not at once known to be one. */
const PAUSE_MS = 2_000;
/** For the console to come back, such as after a restart. */
const ABSENCE_LIMIT_MS = 60_000;
const LOST: readonly string[] = ["device_lost", "device_timeout", "device_unreachable"];

export type UploadSession = Pick<Session, "attempt" | "notify" | "device" | "isAnswering" | "mac">;

export class UploadRun {
  readonly #session: UploadSession;
  readonly #transfer = signal<Transfer | undefined>(undefined);
  readonly #error = signal<UserError | undefined>(undefined);
  #abort: AbortController | undefined;
  #viewers = 0;

  constructor(session: UploadSession) {
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
    this.#abort = abort;
    this.#error.value = undefined;
    try {
      return await this.#sendUntilTaken(totalBytes, send, abort.signal);
    } catch (error) {
      this.#report(what, error, abort.signal.aborted);
      return undefined;
    } finally {
      this.#abort = undefined;
      this.#transfer.value = undefined;
    }
  }

  async #sendUntilTaken<Result>(
    totalBytes: number,
    send: (device: Device, options: UploadOptions) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const mac = this.#session.mac.peek();
    for (let attempt = 1; ; attempt++) {
      const meter = new TransferMeter(totalBytes, performance.now());
      const onProgress = (sentBytes: number) => {
        this.#transfer.value = meter.update(sentBytes, performance.now());
      };
      onProgress(0);
      let hasBegun = false;
      try {
        return await this.#session.attempt((device) => {
          hasBegun = true;
          return send(device, { onProgress, signal });
        });
      } catch (error) {
        const isLost = hasBegun && LOST.includes(`${(error as { code?: unknown }).code}`);
        if (signal.aborted || !isLost || attempt === ATTEMPTS) throw error;
        this.#transfer.value = { ...meter.update(0, performance.now()), isWaiting: true };
        if (!(await this.#isBack(signal)) || this.#session.mac.peek() !== mac) throw error;
      }
    }
  }

  /** @returns whether the console is back, once it is, or it is clear that it does not come */
  async #isBack(signal: AbortSignal): Promise<boolean> {
    const { device, isAnswering } = this.#session;
    let end = (_isBack: boolean) => {};
    const ended = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    signal.addEventListener("abort", () => end(false), { once: true });
    const limit = setTimeout(() => end(false), ABSENCE_LIMIT_MS);
    let stop = () => {};
    const pause = setTimeout(() => {
      stop = effect(() => {
        if (device.value && isAnswering.value) end(true);
      });
    }, PAUSE_MS);
    const isBack = await ended;
    clearTimeout(limit);
    clearTimeout(pause);
    stop();
    return isBack;
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
  /** The connection broke: the file is sent again once the console is back. */
  readonly isWaiting: boolean;
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
    return { sentBytes, totalBytes: this.#totalBytes, bytesPerSecond, secondsLeft, isWaiting: false };
  }

  #rate(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.atMs - first.atMs < LEAST_MS) return undefined;
    return ((last.sentBytes - first.sentBytes) * 1000) / (last.atMs - first.atMs);
  }
}
