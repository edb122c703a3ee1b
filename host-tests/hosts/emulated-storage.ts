/**
 * Everything that a console keeps, in memory: the ports of files, of key-value pairs and of firmware slots over
 * one power supply that can fail at any operation (emulated-power.ts).
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

/** The board's file system partition. */
const DEFAULT_CAPACITY_BYTES = 4 * 1024 * 1024;

/** The board's application partitions. */
const DEFAULT_SLOT_BYTES = 3 * 1024 * 1024;

export interface EmulatedStorageOptions {
  readonly capacityBytes?: number;
  /** Bytes of the longest image that a firmware slot holds. */
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

  /** The root directory. After a restart it is another one, as everything that was open is gone. */
  get files(): Directory {
    return new EmulatedDirectory(this.#medium);
  }

  /** The slots as they are to the firmware that the boot loader has started last. */
  get slots(): FirmwareSlots {
    return new EmulatedSlots(this.bootLoader);
  }

  /** Operations so far that changed something. */
  get operationCount(): number {
    return this.#power.operationCount;
  }

  /** Whether power has been cut and {@link restart} not been called yet. */
  get isOff(): boolean {
    return this.#power.isOff;
  }

  /** The figures of `system.storage()`. */
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

  /** Begins the next run: open objects of the last run throw, and no cut is planned. */
  restart(): void {
    this.#power.restart();
  }
}
