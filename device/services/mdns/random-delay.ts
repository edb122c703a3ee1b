/** Random delays, so that many hosts that hear one query do not answer at one moment. */
import type { Random } from "../../../protocol/ports/bytes.js";

export class RandomDelay {
  readonly #random: Random;
  readonly #bytes = new Uint8Array(2);

  constructor(random: Random) {
    this.#random = random;
  }

  /** Whole milliseconds from `lowMs` through `highMs`, each as likely as the others. */
  between(lowMs: number, highMs: number): number {
    this.#random.getRandomValues(this.#bytes);
    const share = (((this.#bytes[0] as number) << 8) | (this.#bytes[1] as number)) / 0x10000;
    return lowMs + Math.floor(share * (highMs - lowMs + 1));
  }
}
