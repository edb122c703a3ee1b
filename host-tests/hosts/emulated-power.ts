/**
 * The power supply of the emulated storage: counts every operation that changes something, and can fail at any of
 * them. Uses the simulator's model (device/hosts/posix/native/storage/power.h), so that code that survives power cuts
 * here survives them there.
 */

/** Thrown by every call after the power cut, until the storage is restarted. */
export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

/** Storage that loses unflushed changes when the power is cut. */
export interface Losing {
  /** @param choose returns a number from 0 to its argument, both included */
  lose(choose: (maximum: number) => number): void;
}

export class EmulatedPower {
  readonly #losing: Losing[] = [];
  #operationCount = 0;
  #cutAt = 0;
  #seed = 0;
  #isOff = false;
  #run = 0;

  /** Number of operations so far: create, empty, write, set size, flush, rename, delete, make directory. */
  get operationCount(): number {
    return this.#operationCount;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  /** Number of the current run; objects opened in an earlier run are invalid. */
  get run(): number {
    return this.#run;
  }

  register(losing: Losing): void {
    this.#losing.push(losing);
  }

  /** @param operation counted from now: 1 is the next operation */
  cutAt(operation: number, seed: number): void {
    this.#cutAt = this.#operationCount + operation;
    this.#seed = seed;
  }

  restart(): void {
    this.#isOff = false;
    this.#cutAt = 0;
    this.#run++;
  }

  /** Throws while the power is off, or if `run` is not the current run. */
  require(run: number): void {
    if (this.#isOff) throw new PowerCut("The power is off");
    if (run !== this.#run) throw new Error("Cannot use what was opened before the restart");
  }

  /**
   * Counts one operation, and cuts the power if it is the chosen one.
   *
   * @param tear carries out part of the operation before the cut; without it, the interrupted operation has no effect
   * @throws {PowerCut} if the power fails during this operation
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

/** Returns a pseudo-random generator (mulberry32); equal seeds give equal sequences. */
function generator(seed: number): (maximum: number) => number {
  let state = seed | 0;
  return (maximum) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % (maximum + 1);
  };
}
