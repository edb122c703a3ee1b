/**
 * The power supply of the emulated storage: counts every operation that changes something, and can fail at
 * any of them. The model is that of the simulator (device/hosts/posix/native/storage/power.h), so that what survives here
 * survives there.
 */

/** Thrown by every call after the power cut, until the storage is restarted. */
export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

/** Storage that loses unflushed changes at a power cut. */
export interface Losing {
  /** @param choose a number from 0 to its argument, both included */
  lose(choose: (maximum: number) => number): void;
}

export class EmulatedPower {
  readonly #losing: Losing[] = [];
  #operationCount = 0;
  #cutAt = 0;
  #seed = 0;
  #isOff = false;
  #run = 0;

  /** Operations since the beginning: create, empty, write, set size, flush, rename, delete, make directory. */
  get operationCount(): number {
    return this.#operationCount;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  /** Number of this run: objects opened in an earlier run are invalid. */
  get run(): number {
    return this.#run;
  }

  register(losing: Losing): void {
    this.#losing.push(losing);
  }

  /** @param operation 1 for the next one */
  cutAt(operation: number, seed: number): void {
    this.#cutAt = this.#operationCount + operation;
    this.#seed = seed;
  }

  restart(): void {
    this.#isOff = false;
    this.#cutAt = 0;
    this.#run++;
  }

  /** Throws while the power is off, and for objects of an earlier run. */
  require(run: number): void {
    if (this.#isOff) throw new PowerCut("The power is off");
    if (run !== this.#run) throw new Error("Cannot use what was opened before the restart");
  }

  /**
   * Counts an operation.
   *
   * @param tear does part of it, where power fails during it; without it, nothing of it happens
   * @throws {PowerCut} where power fails during it
   */
  count(tear?: (choose: (maximum: number) => number) => void): void {
    this.#operationCount++;
    if (this.#operationCount !== this.#cutAt) return;
    const choose = generator(this.#seed);
    tear?.(choose);
    for (const losing of this.#losing) losing.lose(choose);
    this.#isOff = true;
    throw new PowerCut(`The power was cut at operation ${this.#operationCount}`);
  }
}

/** Numbers that look random and are the same for the same seed (mulberry32). */
function generator(seed: number): (maximum: number) => number {
  let state = seed | 0;
  return (maximum) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % (maximum + 1);
  };
}
