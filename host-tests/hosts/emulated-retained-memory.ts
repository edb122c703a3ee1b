/** The retained-memory port over an array; pass the same object to the next run to keep its content. */
import type { RetainedMemory } from "../../device/ports/retained-memory.js";

export class EmulatedRetainedMemory implements RetainedMemory {
  readonly #bytes: Uint8Array;

  /** @param byteLength default: size of the ESP32-S3's RTC slow memory */
  constructor(byteLength = 8192) {
    this.#bytes = new Uint8Array(byteLength);
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  read(into: Uint8Array, offset: number): void {
    into.set(this.#place(offset, into.length));
  }

  write(bytes: Uint8Array, offset: number): void {
    this.#place(offset, bytes.length).set(bytes);
  }

  /** Simulates a power loss: fills the memory with bytes that are neither zeros nor earlier data. */
  losePower(): void {
    for (let index = 0; index < this.#bytes.length; index++)
      this.#bytes[index] = (index * 167 + 91) ^ (index >> 3);
  }

  #place(offset: number, length: number): Uint8Array {
    if (!(offset >= 0 && offset + length <= this.#bytes.length))
      throw new RangeError("outside retained memory");
    return this.#bytes.subarray(offset, offset + length);
  }
}
