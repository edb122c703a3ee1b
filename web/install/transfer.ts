/** Progress of a transfer: bytes, rate and time left. */

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
