/**
 * Plays what the console plays: asks for the newest samples several times a second, and has the browser play them one after
 * the other, a moment later than on the console.
 */
import { type ClientClock, systemClock } from "../../../device-client/clock.js";
import type { SoundFile } from "../../../protocol/device/sound-file.js";

/** From one request to the next. */
export const SOUND_INTERVAL_MS = 200;
/** Between an answer and its sound where nothing sounds before it: longer than answers are apart. */
const DELAY_S = 0.3;
const FULL_SCALE = 32_768;

/** The part of an `AudioContext` that is used. */
export type Loudspeaker = Pick<
  AudioContext,
  "currentTime" | "destination" | "createBuffer" | "createBufferSource" | "close"
>;

export interface SoundPlayerOptions {
  /** Asks for what has been played from a sample on; without one, for everything that is kept. */
  readonly sound: (since: number | undefined, signal: AbortSignal) => Promise<SoundFile>;
  readonly loudspeaker: Loudspeaker;
  readonly clock?: ClientClock;
}

export class SoundPlayer {
  readonly #options: SoundPlayerOptions;
  readonly #clock: ClientClock;
  readonly #queue: SampleQueue;
  readonly #ending = new AbortController();
  #wait: ReturnType<ClientClock["set"]> | undefined;
  /** Number of the next sample that is wanted; `undefined` until the first answer, which is not played. */
  #next: number | undefined;

  /** Starts at once. */
  constructor(options: SoundPlayerOptions) {
    this.#options = options;
    this.#queue = new SampleQueue(options.loudspeaker, DELAY_S);
    this.#clock = options.clock ?? systemClock;
    void this.#poll();
  }

  /** Ends the sound and the requests. */
  close(): void {
    this.#ending.abort();
    this.#clock.clear(this.#wait);
    this.#options.loudspeaker.close().catch(() => {}); // it may be closed already
  }

  async #poll(): Promise<void> {
    const { signal } = this.#ending;
    try {
      const file = await this.#options.sound(this.#next, signal);
      if (signal.aborted) return;
      const { start, samples } = file;
      if (this.#next !== undefined && samples.length > 0) this.#queue.play(file);
      this.#next = start + samples.length;
    } catch {
      this.#next = undefined; // the console was away; what it played meanwhile is past
    }
    if (!signal.aborted) this.#wait = this.#clock.set(() => void this.#poll(), SOUND_INTERVAL_MS);
  }
}

/** Has the browser play pieces of sound one after the other. */
export class SampleQueue {
  readonly #loudspeaker: Loudspeaker;
  readonly #delayS: number;
  /** When the browser has played everything, in its own time. */
  #endS = 0;

  /** @param delayS before a piece where nothing sounds before it: longer than pieces are apart */
  constructor(loudspeaker: Loudspeaker, delayS: number) {
    this.#loudspeaker = loudspeaker;
    this.#delayS = delayS;
  }

  play({ samples, rate }: Pick<SoundFile, "samples" | "rate">): void {
    const buffer = this.#loudspeaker.createBuffer(1, samples.length, rate);
    const channel = buffer.getChannelData(0);
    for (const [index, sample] of samples.entries()) channel[index] = sample / FULL_SCALE;
    const source = this.#loudspeaker.createBufferSource();
    source.buffer = buffer;
    source.connect(this.#loudspeaker.destination);
    const now = this.#loudspeaker.currentTime;
    const startS = this.#endS > now ? this.#endS : now + this.#delayS;
    source.start(startS);
    this.#endS = startS + buffer.duration;
  }
}
