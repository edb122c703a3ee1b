/**
 * Uploads one file to the console: progress, error, and cancellation. It outlives its view; an error without a view
 * becomes a notice.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Device } from "../../device-client/device.js";
import { failureNotice } from "../session/failure-notice.js";
import type { Session } from "../session/session.js";
import { hasAllLeft, type Transfer, TransferMeter } from "./transfer.js";
import { type UserError, userErrorOf } from "./user-error.js";

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
