/** Measures pictures per second, over the last few. */
const WINDOW_MS = 3000;

export class PictureRate {
  readonly #times: number[] = [];

  /** @returns a second, since the oldest one that counts; `undefined` until two have come */
  count(nowMs: number): number | undefined {
    this.#times.push(nowMs);
    while ((this.#times[0] as number) < nowMs - WINDOW_MS) this.#times.shift();
    const spanMs = nowMs - (this.#times[0] as number);
    return spanMs > 0 ? ((this.#times.length - 1) * 1000) / spanMs : undefined;
  }
}
