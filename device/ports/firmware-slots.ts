/**
 * The two firmware slots and the boot loader's record of them (docs/spec/boot-and-slots.md#slots). The running slot is
 * never written. What is written to the other one boots once `complete` has returned, for one trial:
 *
 *              Updater.complete            restart
 *     settled -----------------> staged -----------> trial ------ confirm -------> settled, in the new slot
 *        ^                         |                   |
 *        |<------- open -----------'                   |  restart, crash, watchdog, loss of power, revert
 *        `---------------------------------------------'  settled, in the old slot
 *
 * Each arrow is one atomic change of the record: a power cut leaves what was before it, or what is after it. The
 * boot loader starts only an image that is whole and verified; a trial of one that is not ends as `damaged`. A crash
 * while the program worked on what the network had brought starts the same trial again, three times at most. A program in trial
 * that never comes to ask for anything is ended by the host: by its watchdog where it hangs, and as `timeout`
 * shortly after `CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S`.
 */
export type Slot = "a" | "b";

/** How a trial ended: in favour of the new firmware, or why not. */
export type TrialEnd =
  | "confirmed"
  | "crash"
  | "watchdog"
  | "reboot"
  | "power_loss"
  | "timeout"
  /** The boot loader found the image not to be whole, or its signature not to hold. */
  | "damaged";

export type SlotRecord =
  | {
      readonly phase: "settled";
      readonly trials: number;
      /** How trial number `trials` ended; left out where there was none, or none since the staged image was dropped. */
      readonly lastEnd?: TrialEnd;
    }
  | { readonly phase: "staged" | "trial"; readonly trials: number };

export interface FirmwareSlots {
  readonly running: Slot;
  /** Bytes of the longest image that a slot holds. */
  readonly capacityBytes: number;
  /**
   * As it is now. `trials` counts the images staged so far, the one that is staged or in trial included. One that a
   * host stages again, because the start that was to try it has told nothing about it, counts again.
   */
  record(): SlotRecord;
  /**
   * Empties the slot that is not running, for writing: an image that was staged in it no longer is. There is one
   * updater at a time.
   * @throws {Error} while in trial: the other slot holds what a failed trial goes back to
   */
  open(): Updater;
  /**
   * The bytes at `offset` of the slot that is not running; how many there were, 0 in an empty one. While it is
   * being written, what was written so far.
   */
  readOther(into: Uint8Array, offset: number): number;
  /** Keeps the running image for good. @throws {Error} unless in trial */
  confirm(): void;
  /** Ends the trial as `timeout`: the old image boots at the next restart. @throws {Error} unless in trial */
  revert(): void;
}

/** A signature of a firmware bundle that holds, and the trusted key that it is of. */
export interface BundleSignature {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** Writes one image from its beginning on (ECMA-419's updater, in append mode). */
export interface Updater {
  /** @throws {Error} where the slot is full, or cannot be written; `close` is to follow */
  write(bytes: Uint8Array): void;
  /**
   * Returns once all of the image is safe and is what boots next.
   * @param signed by whom, over the bundle's length, checksum and image. A boot loader of ours checks it again at each
   *   start, and runs nothing without it; on boards the chip's secure boot has a signature of its own
   */
  complete(signed?: BundleSignature): void;
  /** Without `complete`, empties the slot again. May be called twice. */
  close(): void;
}
