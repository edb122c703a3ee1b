/**
 * Everything that a console keeps, in memory: the ports of files and of key-value pairs over one power
 * supply that can fail at any operation (emulated-power.ts).
 */
import type { Directory } from "../../device/ports/files.js";
import type { KeyValueStorage } from "../../device/ports/key-value.js";
import type { CapacityFacts } from "../../device/ports/system.js";
import { EmulatedDirectory } from "./emulated-files.js";
import { EmulatedKeyValue } from "./emulated-key-value.js";
import { EmulatedMedium } from "./emulated-medium.js";
import { EmulatedPower } from "./emulated-power.js";

/** The board's file system partition. */
const DEFAULT_CAPACITY_BYTES = 4 * 1024 * 1024;

export class EmulatedStorage {
  readonly #power = new EmulatedPower();
  readonly #medium: EmulatedMedium;
  readonly keyValue: KeyValueStorage = new EmulatedKeyValue(this.#power);

  constructor({ capacityBytes = DEFAULT_CAPACITY_BYTES }: { readonly capacityBytes?: number } = {}) {
    this.#medium = new EmulatedMedium(this.#power, capacityBytes);
  }

  /** The root directory. After a restart it is another one, as everything that was open is gone. */
  get files(): Directory {
    return new EmulatedDirectory(this.#medium);
  }

  /** Operations so far that changed something. */
  get operationCount(): number {
    return this.#power.operationCount;
  }

  /** Whether power has been cut and {@link restart} not been called yet. */
  get isOff(): boolean {
    return this.#power.isOff;
  }

  /** What `system.storage()` tells. */
  capacity(): CapacityFacts {
    return this.#medium.capacity();
  }

  /**
   * Cuts power in the midst of an operation to come: it throws a `PowerCut`, and so does every call after it.
   *
   * @param operation 1 for the next one
   * @param seed decides what of the unflushed changes is lost
   */
  cutPowerAt(operation: number, seed = operation): void {
    this.#power.cutAt(operation, seed);
  }

  /** The next run: what is open belongs to the last one and throws, and no cut is planned. */
  restart(): void {
    this.#power.restart();
  }
}
