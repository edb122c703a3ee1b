/**
 * Tracks which buttons are held, and by which source: touches, the mouse and keys may hold several, and two of them the
 * same one.
 */
import { type ButtonName, bitOf } from "./buttons.js";

export class HeldButtons {
  readonly #byHolder = new Map<string, ButtonName>();
  readonly #onChange: (bits: number) => void;

  /** @param onChange called with what is held then, only when that has changed */
  constructor(onChange: (bits: number) => void) {
    this.#onChange = onChange;
  }

  get bits(): number {
    let bits = 0;
    for (const name of this.#byHolder.values()) bits |= bitOf(name);
    return bits;
  }

  /** @param holder such as `key KeyZ` or `pointer 3`, which holds one button at a time */
  press(holder: string, name: ButtonName): void {
    this.#change(() => this.#byHolder.set(holder, name));
  }

  release(holder: string): void {
    this.#change(() => this.#byHolder.delete(holder));
  }

  releaseAll(): void {
    this.#change(() => this.#byHolder.clear());
  }

  #change(how: () => void): void {
    const before = this.bits;
    how();
    if (this.bits !== before) this.#onChange(this.bits);
  }
}
