/** Tones and samples on their way from an app to the page, in the memory that both share: the last tone of each voice, and a queue. */
import { QUEUE_SAMPLES, SILENCE, SOUND_VOICES, type SoundTone } from "./sound-mixer.js";

const TONE_WORDS = 6;
export const SOUND_WORDS = SOUND_VOICES * TONE_WORDS + 2;
export const SOUND_QUEUE_BYTES = 2 * QUEUE_SAMPLES;

export class SharedSound {
  readonly #words: Int32Array;
  readonly #queue: Int16Array;
  readonly #written: number;
  readonly #read: number;
  /** The page's: of each voice, the number of the tone that it has taken. */
  readonly #taken = Array<number>(SOUND_VOICES).fill(0);

  /** @param words {@link SOUND_WORDS} of them; @param queue {@link SOUND_QUEUE_BYTES} */
  constructor(words: Int32Array, queue: Int16Array) {
    this.#words = words;
    this.#queue = queue;
    this.#written = SOUND_VOICES * TONE_WORDS;
    this.#read = this.#written + 1;
  }

  /** Of the app's thread. The number before a tone is odd while the tone is written. */
  setTone(voice: number, { fromHertz, toHertz, milliseconds, volume, shape }: SoundTone): void {
    const at = voice * TONE_WORDS;
    Atomics.add(this.#words, at, 1);
    for (const [index, value] of [fromHertz, toHertz, milliseconds, volume, shape].entries())
      Atomics.store(this.#words, at + 1 + index, value);
    Atomics.add(this.#words, at, 1);
  }

  /** Of the app's thread. */
  stop(): void {
    for (let voice = 0; voice < SOUND_VOICES; voice++) this.setTone(voice, SILENCE);
    this.dropSamples();
  }

  /** Of the app's thread. @param bytes samples, low byte first; @returns how many there was room for */
  addSamples(bytes: Uint8Array): number {
    const written = Atomics.load(this.#words, this.#written);
    const count = Math.min(bytes.length >> 1, QUEUE_SAMPLES - this.queued);
    for (let index = 0; index < count; index++) {
      const sample = (bytes[2 * index] as number) | ((bytes[2 * index + 1] as number) << 8);
      this.#queue[(written + index) & (QUEUE_SAMPLES - 1)] = sample;
    }
    Atomics.store(this.#words, this.#written, (written + count) | 0);
    return count;
  }

  get queued(): number {
    const read = Atomics.load(this.#words, this.#read);
    return (Atomics.load(this.#words, this.#written) - read) | 0;
  }

  /** Either side may drop them: whoever takes some meanwhile has them still, and moves on only if they are there. */
  dropSamples(): void {
    Atomics.store(this.#words, this.#read, Atomics.load(this.#words, this.#written));
  }

  /** Of the page. */
  takeSamples(limit: number): Int16Array {
    const read = Atomics.load(this.#words, this.#read);
    const count = Math.max(0, Math.min(limit, this.queued));
    const samples = Int16Array.from(
      { length: count },
      (_, index) => this.#queue[(read + index) & (QUEUE_SAMPLES - 1)] as number,
    );
    Atomics.compareExchange(this.#words, this.#read, read, (read + count) | 0);
    return samples;
  }

  /** Of the page. @returns the voices that have got another tone since the last call */
  takeTones(): readonly { readonly voice: number; readonly tone: SoundTone }[] {
    const tones: { voice: number; tone: SoundTone }[] = [];
    for (let voice = 0; voice < SOUND_VOICES; voice++) {
      const at = voice * TONE_WORDS;
      const number = Atomics.load(this.#words, at);
      if (number === this.#taken[voice] || number % 2 !== 0) continue;
      const [fromHertz = 0, toHertz = 0, milliseconds = 0, volume = 0, shape = 0] = Array.from(
        { length: TONE_WORDS - 1 },
        (_, index) => Atomics.load(this.#words, at + 1 + index),
      );
      if (Atomics.load(this.#words, at) !== number) continue; // it is being written: the next frame has it
      this.#taken[voice] = number;
      tones.push({ voice, tone: { fromHertz, toHertz, milliseconds, volume, shape } });
    }
    return tones;
  }
}
