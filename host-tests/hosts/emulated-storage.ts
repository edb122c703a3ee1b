/**
 * All storage of a console in memory: the file, key-value and firmware slot ports on one power supply that can fail
 * at any operation (emulated-power.ts).
 */
import type { Directory } from "../../device/ports/files.js";
import type { FirmwareSlots } from "../../device/ports/firmware-slots.js";
import type { KeyValueStorage } from "../../device/ports/key-value.js";
import type { CapacityFacts } from "../../device/ports/system.js";
import { EmulatedDirectory } from "./emulated-files.js";
import { EmulatedKeyValue } from "./emulated-key-value.js";
import { EmulatedMedium } from "./emulated-medium.js";
import { EmulatedPower } from "./emulated-power.js";
import { EmulatedBootLoader, EmulatedSlots } from "./emulated-slots.js";

/** Size of the board's file system partition. */
const DEFAULT_CAPACITY_BYTES = 4 * 1024 * 1024;

/** Size of each of the board's application partitions. */
const DEFAULT_SLOT_BYTES = 3 * 1024 * 1024;

export interface EmulatedStorageOptions {
  readonly capacityBytes?: number;
  /** Largest firmware image in bytes. */
  readonly slotBytes?: number;
}

export class EmulatedStorage {
  readonly #power = new EmulatedPower();
  readonly #medium: EmulatedMedium;
  readonly keyValue: KeyValueStorage = new EmulatedKeyValue(this.#power);
  readonly bootLoader: EmulatedBootLoader;

  constructor({
    capacityBytes = DEFAULT_CAPACITY_BYTES,
    slotBytes = DEFAULT_SLOT_BYTES,
  }: EmulatedStorageOptions = {}) {
    this.#medium = new EmulatedMedium(this.#power, capacityBytes);
    this.bootLoader = new EmulatedBootLoader(this.#power, slotBytes);
  }

  /** A new handle of the root directory, valid until the next restart. */
  get files(): Directory {
    return new EmulatedDirectory(this.#medium);
  }

  /** The firmware slots, as seen by the firmware that the boot loader started last. */
  get slots(): FirmwareSlots {
    return new EmulatedSlots(this.bootLoader);
  }

  /** Number of operations so far that changed something. */
  get operationCount(): number {
    return this.#power.operationCount;
  }

  /** True from a power cut until {@link restart}. */
  get isOff(): boolean {
    return this.#power.isOff;
  }

  /** The figures of `system.storage()`. */
  capacity(): CapacityFacts {
    return this.#medium.capacity();
  }

  /**
   * Cuts the power during a later operation: that operation and every call after it throw a `PowerCut`.
   *
   * @param operation counted from now: 1 is the next operation
   * @param seed decides which unflushed changes are lost
   */
  cutPowerAt(operation: number, seed = operation): void {
    this.#power.cutAt(operation, seed);
  }

  /** Begins the next run: objects opened earlier throw, and a planned power cut is cancelled. */
  restart(): void {
    this.#power.restart();
  }
}
