/**
 * Mixes four voices and the app's own samples as the console does (`device/hosts/common/native/sound-mixer.c`), sample by sample the
 * same (docs/spec/sound.md).
 */

/** Samples a second, of one channel. */
export const SOUND_RATE = 16_000;
export const SOUND_VOICES = 4;
export const LOWEST_HERTZ = 20;
export const HIGHEST_HERTZ = SOUND_RATE / 2;
export const LONGEST_MS = 60_000;
export const FULL_VOLUME = 100;
export const SOUND_SHAPES = 4;
export const QUEUE_SAMPLES = 4096;

/** In which a tone swells and fades. */
const RAMP_SAMPLES = 64;
const SAMPLES_PER_MS = SOUND_RATE / 1000;
const PEAK = 32_767;
const LOWEST = -32_768;
/** Of a step, beyond those of a phase of 32 bits. */
const FRACTION_BITS = 16;
const FRACTION = 2 ** FRACTION_BITS;

export interface SoundTone {
  readonly fromHertz: number;
  /** It slides there. */
  readonly toHertz: number;
  /** 0: the voice fades; below: it is silent at once. */
  readonly milliseconds: number;
  readonly volume: number;
  /** 0 square, 1 triangle, 2 sawtooth, 3 noise. */
  readonly shape: number;
}

/** A period is 2^32; steps have {@link FRACTION_BITS} more, which a double holds exactly. */
class Voice {
  #phase = 0;
  #step = 0;
  #stepChange = 0;
  #played = 0;
  #left = 0;
  #volume = 0;
  #shape = 0;
  #noise = 1;

  get isSilent(): boolean {
    return this.#left === 0;
  }

  begin({ fromHertz, toHertz, milliseconds, volume, shape }: SoundTone): void {
    if (milliseconds <= 0) {
      this.#left = milliseconds < 0 ? 0 : Math.min(this.#left, RAMP_SAMPLES);
      return;
    }
    const samples = milliseconds * SAMPLES_PER_MS;
    const [from, to] = [stepOf(fromHertz), stepOf(toHertz)];
    this.#phase = 0;
    this.#step = Number(from);
    this.#stepChange = Number((to - from) / BigInt(samples));
    this.#played = 0;
    this.#left = samples;
    this.#volume = volume;
    this.#shape = shape;
    this.#noise = 1;
  }

  next(): number {
    if (this.#left === 0) return 0;
    const ramp = Math.min(this.#played, this.#left, RAMP_SAMPLES);
    const full = Math.trunc((Math.trunc(PEAK / SOUND_VOICES) * this.#volume) / FULL_VOLUME);
    const loudest = Math.trunc((full * ramp) / RAMP_SAMPLES);
    const sample = Math.trunc((this.#wave() * loudest) / PEAK);
    const before = this.#phase;
    this.#phase = (this.#phase + Math.floor(this.#step / FRACTION)) >>> 0;
    if (this.#phase < before) this.#noise = nextNoise(this.#noise);
    this.#step += this.#stepChange;
    this.#played++;
    this.#left--;
    return sample;
  }

  #wave(): number {
    const position = this.#phase >>> 16;
    const isFirstHalf = position < 32_768;
    switch (this.#shape) {
      case 0:
        return isFirstHalf ? PEAK : -PEAK;
      case 1:
        return isFirstHalf ? 2 * position - PEAK : PEAK - 2 * (position - 32_768);
      case 2:
        return position - 32_768;
      default:
        return this.#noise & 1 ? PEAK : -PEAK;
    }
  }
}

function stepOf(hertz: number): bigint {
  return (BigInt(hertz) << BigInt(32 + FRACTION_BITS)) / BigInt(SOUND_RATE);
}

/** The next value of a shift register that takes all 65535 states (taps 16, 14, 13 and 11). */
function nextNoise(state: number): number {
  const bit = (state ^ (state >> 2) ^ (state >> 3) ^ (state >> 5)) & 1;
  return (state >> 1) | (bit << 15);
}

export class SoundMixer {
  readonly #voices = Array.from({ length: SOUND_VOICES }, () => new Voice());

  tone(voice: number, tone: SoundTone): void {
    this.#voices[voice]?.begin(tone);
  }

  silence(): void {
    for (const voice of this.#voices) voice.begin({ ...SILENCE });
  }

  get isSilent(): boolean {
    return this.#voices.every(({ isSilent }) => isSilent);
  }

  /** @param own the app's samples at the beginning of `into`; the rest of it gets the voices alone */
  mix(into: Int16Array, own: Int16Array): void {
    for (let at = 0; at < into.length; at++) {
      let sum = own[at] ?? 0;
      for (const voice of this.#voices) sum += voice.next();
      into[at] = Math.max(LOWEST, Math.min(PEAK, sum));
    }
  }
}

/** Ends a voice at once. */
export const SILENCE: SoundTone = Object.freeze({
  fromHertz: LOWEST_HERTZ,
  toHertz: LOWEST_HERTZ,
  milliseconds: -1,
  volume: 0,
  shape: 0,
});
