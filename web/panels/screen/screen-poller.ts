/**
 * Polls for pictures, each after the previous one has arrived, at a limited rate. Compares the bytes to recognize an
 * unchanged picture.
 */
import { type ClientClock, systemClock } from "../../../device-client/clock.js";

/** Ten pictures a second: more looks hardly smoother, and costs the board processor time. */
export const PICTURE_INTERVAL_MS = 100;

/** Delay after a failed request. */
export const RETRY_MS = 1000;

export interface PollerOptions {
  readonly picture: (signal: AbortSignal) => Promise<Uint8Array>;
  /** @param isNew whether the picture differs from the previous one */
  readonly onPicture: (png: Uint8Array, isNew: boolean) => void;
  readonly onError: (error: unknown) => void;
  readonly clock?: ClientClock;
}

export class ScreenPoller {
  readonly #options: PollerOptions;
  readonly #ending = new AbortController();
  readonly #clock: ClientClock;
  #last: Uint8Array | undefined;
  #wait: ReturnType<ClientClock["set"]> | undefined;

  /** Starts polling immediately. */
  constructor(options: PollerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    void this.#poll();
  }

  /** Stops polling; no callback follows. */
  close(): void {
    this.#ending.abort();
    this.#clock.clear(this.#wait);
  }

  async #poll(): Promise<void> {
    const startedMs = this.#clock.uptimeMs();
    const hasCome = await this.#ask();
    if (this.#ending.signal.aborted) return;
    const nowMs = this.#clock.uptimeMs();
    const nextMs = hasCome ? startedMs + PICTURE_INTERVAL_MS : nowMs + RETRY_MS;
    this.#wait = this.#clock.set(() => void this.#poll(), Math.max(0, nextMs - nowMs));
  }

  /** @returns whether a picture has arrived */
  async #ask(): Promise<boolean> {
    const { signal } = this.#ending;
    try {
      const png = await this.#options.picture(signal);
      if (signal.aborted) return false;
      const isNew = !this.#last || !isSame(this.#last, png);
      this.#last = png;
      this.#options.onPicture(png, isNew);
      return true;
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error);
      return false;
    }
  }
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
