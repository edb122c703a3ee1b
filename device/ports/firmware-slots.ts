/**
 * The two firmware slots and the boot loader's record of them (docs/spec/boot-and-slots.md#slots). The running slot is
 * never written. An image in the other slot boots after `complete` has returned, for one trial:
 *
 *              Updater.complete            restart
 *     settled -----------------> staged -----------> trial ------ confirm -------> settled, in the new slot
 *        ^                         |                   |
 *        |<------- open -----------'                   |  restart, crash, watchdog, loss of power, revert
 *        `---------------------------------------------'  settled, in the old slot
 *
 * Each arrow is one atomic change of the record: a power cut leaves the state before or after it. The boot loader
 * starts only an image that is complete and verified; otherwise the trial ends as `damaged`. A crash while the program
 * processes network input restarts the same trial, at most three times. If the confirmed image is damaged, a board starts
 * the other one, which counts as one more trial, and is confirmed from then on. The host ends the trial of a program that never
 * calls `revert`: by its watchdog if it hangs, else as `timeout` shortly after `CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S`.
 */
export type Slot = "a" | "b";

/** How a trial ended: `confirmed`, or why the old firmware came back. */
export type TrialEnd =
  | "confirmed"
  | "crash"
  | "watchdog"
  | "reboot"
  | "power_loss"
  | "timeout"
  /** The boot loader found the image incomplete or its signature invalid. */
  | "damaged"
  /** No trial: the confirmed image was damaged, and the boot loader of a board started the other one for good. */
  | "replaced";

export type SlotRecord =
  | {
      readonly phase: "settled";
      readonly trials: number;
      /** How trial number `trials` ended; left out before the first trial and after a staged image was dropped. */
      readonly lastEnd?: TrialEnd;
    }
  | { readonly phase: "staged" | "trial"; readonly trials: number };

export interface FirmwareSlots {
  readonly running: Slot;
  /** Size of a slot: the longest image, in bytes. */
  readonly capacityBytes: number;
  /**
   * The current record. `trials` counts the images staged so far, including the staged image or the one on trial. An
   * image that a host stages again, because its trial run left no record, counts again.
   */
  record(): SlotRecord;
  /**
   * Erases the other slot for writing; an image staged in it is dropped. Only one updater exists at a time.
   * @throws {Error} during a trial: the other slot then holds the firmware for a rollback
   */
  open(): Updater;
  /**
   * Reads the other slot from `offset` on; during an update, the bytes written so far.
   * @returns the number of bytes read, 0 for an empty slot
   */
  readOther(into: Uint8Array, offset: number): number;
  /** Makes the running image permanent. @throws {Error} unless in trial */
  confirm(): void;
  /** Ends the trial as `timeout`: the old image boots at the next restart. @throws {Error} unless in trial */
  revert(): void;
}

/** A verified signature of a firmware bundle, with the trusted key that made it. */
export interface BundleSignature {
  readonly signature: Uint8Array;
  readonly publicKey: Uint8Array;
}

/** Writes one image from its beginning on (ECMA-419's updater, in append mode). */
export interface Updater {
  /** @throws {Error} if the slot is full or cannot be written; the caller then calls `close` */
  write(bytes: Uint8Array): void;
  /** Whether the boot loader would take what was written for an image; `undefined` on a host that looks in `complete`. */
  isImage(): boolean | undefined;
  /**
   * Returns once the image is stored completely and boots next. Throws an error with the code `image_invalid` if the boot
   * loader would not take it for an image.
   * @param signed signature and key over the bundle's length, checksum and image. The simulator's boot loader verifies
   *   it again at each start, and starts no image without it; on boards the chip's secure boot has its own signature
   */
  complete(signed?: BundleSignature): void;
  /** Without `complete`, erases the slot again. May be called twice. */
  close(): void;
}
