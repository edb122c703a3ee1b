/** Tracks buttons that were pressed too recently for every app to have polled them. */

/** Apps look at the buttons with each picture that they draw: of thirty a second, this is three. */
export const PRESS_MS = 100;

export class FreshPresses {
  /** Since when each is, by its bit. */
  readonly #sinceMs = new Map<number, number>();

  /** @param pressed bits that have just been pressed */
  add(pressed: number, nowMs: number): void {
    for (let bit = 1; bit <= pressed; bit <<= 1) if (pressed & bit) this.#sinceMs.set(bit, nowMs);
  }

  clear(): void {
    this.#sinceMs.clear();
  }

  /** Those that an app may not have seen. */
  bits(nowMs: number): number {
    let bits = 0;
    for (const [bit, sinceMs] of this.#sinceMs) if (nowMs - sinceMs < PRESS_MS) bits |= bit;
    return bits;
  }

  /** Until the first of `wanted` has been seen; `undefined` where all have. */
  waitMs(wanted: number, nowMs: number): number | undefined {
    let shortest: number | undefined;
    for (const [bit, sinceMs] of this.#sinceMs) {
      const leftMs = sinceMs + PRESS_MS - nowMs;
      if (wanted & bit && leftMs > 0) shortest = Math.min(shortest ?? leftMs, leftMs);
    }
    return shortest;
  }
}
