/** One file on its way to the console: how far it is, what went wrong, and a way to end it. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Device } from "../../device-client/device.js";
import type { Session } from "../session/session.js";
import { type ToldError, toldError } from "./told-error.js";
import { type Transfer, TransferMeter } from "./transfer.js";

export interface UploadOptions {
  readonly onProgress: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

export class UploadRun {
  readonly #session: Session;
  readonly #transfer = signal<Transfer | undefined>(undefined);
  readonly #error = signal<ToldError | undefined>(undefined);
  #abort: AbortController | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** `undefined` while nothing is sent. */
  get transfer(): ReadonlySignal<Transfer | undefined> {
    return this.#transfer;
  }

  /** Of the last attempt; one that was cancelled has none. */
  get error(): ReadonlySignal<ToldError | undefined> {
    return this.#error;
  }

  /**
   * Sends a file. What goes wrong is told by `error` and nowhere else, so that it stands beside what has failed.
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
    const result = await this.#session.run(what, (device) =>
      send(device, { onProgress, signal: abort.signal }).catch((error: unknown) => {
        if (abort.signal.aborted) this.#session.notify({ kind: "told", text: `Cancelled: ${what}` });
        else this.#error.value = toldError(error);
        return undefined;
      }),
    );
    this.#abort = undefined;
    this.#transfer.value = undefined;
    return result;
  }

  /** What went wrong is no longer of interest. */
  clearError(): void {
    this.#error.value = undefined;
  }

  cancel(): void {
    this.#abort?.abort();
  }
}
