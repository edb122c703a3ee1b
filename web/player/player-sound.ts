/**
 * What an app plays, in the page: takes tones and samples from the memory that the page and the app's worker share, mixes them at the
 * pace of the clock, whether they are heard or not, and has the browser play them.
 */
import { type Loudspeaker, SampleQueue } from "../panels/screen/sound-player.js";
import type { SharedMemory } from "./shared-memory.js";
import { SOUND_RATE, SoundMixer } from "./sound-mixer.js";

/** Between mixing and sound: longer than two frames of the page are apart. */
const DELAY_S = 0.06;
/** Most that one call mixes, after the page has stood still. */
const MOST_SAMPLES = SOUND_RATE / 4;

export class PlayerSound {
  readonly #mixer = new SoundMixer();
  readonly #shared: SharedMemory;
  readonly #output: SoundOutput;
  #mixedMs: number | undefined;

  constructor(shared: SharedMemory, output: SoundOutput) {
    this.#shared = shared;
    this.#output = output;
  }

  /** Call it once a frame. */
  advance(nowMs: number): void {
    for (const { voice, tone } of this.#shared.sound.takeTones()) this.#mixer.tone(voice, tone);
    if (!this.#shared.isInFront) this.silence();
    if (this.#mixer.isSilent && this.#shared.sound.queued === 0) {
      this.#mixedMs = undefined;
      return;
    }
    this.#mixedMs ??= nowMs - 1000 / 60;
    const due = Math.min(MOST_SAMPLES, Math.floor(((nowMs - this.#mixedMs) * SOUND_RATE) / 1000));
    this.#mixedMs = due === MOST_SAMPLES ? nowMs : this.#mixedMs + (due * 1000) / SOUND_RATE;
    if (due <= 0) return;
    const samples = new Int16Array(due);
    this.#mixer.mix(samples, this.#shared.sound.takeSamples(due));
    this.#output.play(samples);
  }

  silence(): void {
    this.#mixer.silence();
    this.#shared.sound.dropSamples();
  }
}

/**
 * The browser's loudspeaker, which browsers let a page use once its user has done something there. Without one, as on a computer
 * without a sound card or in a browser that blocks it, an app is silent.
 */
export class SoundOutput {
  isMuted = false;
  #context: AudioContext | undefined;
  #queue: SampleQueue | undefined;
  #isAbsent = false;

  constructor() {
    for (const event of ["pointerdown", "keydown"]) addEventListener(event, () => this.#resume());
  }

  play(samples: Int16Array): void {
    if (this.isMuted || this.#isAbsent) return;
    try {
      this.#context ??= new AudioContext();
      this.#queue ??= new SampleQueue(this.#context satisfies Loudspeaker, DELAY_S);
      // What a context that does not run yet is given, it would play later, all of it.
      if (this.#context.state === "running") this.#queue.play({ samples, rate: SOUND_RATE });
      else this.#resume();
    } catch {
      this.#isAbsent = true;
    }
  }

  #resume(): void {
    // A context that may not run yet is asked again at the next click.
    this.#context?.resume().catch(() => {});
  }
}
