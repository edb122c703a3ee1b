/** Which parts of the console's state have changed since the home screen asked last, a bit each (device/home/app/parts.ts). */
export class HomeChanges {
  #parts = 0;

  add(parts: number): void {
    this.#parts |= parts;
  }

  /** Returns the parts that have changed, and forgets them. */
  take(): number {
    const parts = this.#parts;
    this.#parts = 0;
    return parts;
  }
}
