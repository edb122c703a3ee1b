/**
 * The firmware slots in memory, with the boot loader that chooses between them, on the power supply of the emulated
 * storage. A power cut loses or tears unflushed slot content as it does emulated files; a change of the boot record
 * is one atomic operation.
 *
 * As on a real console, each run begins with `boot`, which invalidates everything opened before:
 *
 *     storage.restart();                              // the power is back
 *     storage.bootLoader.boot("power_on");            // power may be cut in here, too
 *     new FirmwareService({ slots: storage.slots, … });
 */
import { createHash } from "node:crypto";
import type {
  FirmwareSlots,
  Slot,
  SlotRecord,
  TrialEnd,
  Updater,
} from "../../device/ports/firmware-slots.js";
import type { ResetReason } from "../../protocol/device/answers.js";
import { EmulatedContent } from "./emulated-content.js";
import type { EmulatedPower, Losing } from "./emulated-power.js";

/** How the previous run ended, as the boot loader sees it; `timeout`: the trial passed its deadline. */
export type RunEnd = "power_on" | "software" | "crash" | "watchdog" | "timeout";

const TRIAL_ENDS: Readonly<Record<RunEnd, TrialEnd>> = Object.freeze({
  power_on: "power_loss",
  software: "reboot",
  crash: "crash",
  watchdog: "watchdog",
  timeout: "timeout",
});

/** The boot record, replaced as a whole by each atomic change. */
type StoredRecord = SlotRecord & { readonly confirmed: Slot };

export interface Boot {
  readonly slot: Slot;
  readonly resetReason: ResetReason;
}

export class EmulatedBootLoader implements Losing {
  readonly power: EmulatedPower;
  readonly capacityBytes: number;
  readonly #contents = { a: new EmulatedContent(), b: new EmulatedContent() };
  #record: StoredRecord = { phase: "settled", trials: 0, confirmed: "a" };
  #running: Slot = "a";

  constructor(power: EmulatedPower, capacityBytes: number) {
    this.power = power;
    this.capacityBytes = capacityBytes;
    power.register(this);
  }

  get running(): Slot {
    return this.#running;
  }

  get record(): StoredRecord {
    return this.#record;
  }

  /** The slot that is not running. */
  get other(): Slot {
    return otherThan(this.#running);
  }

  /** Writes slot a as a programmer over a cable does; not an operation of the console, so the power cannot fail. */
  flash(image: Uint8Array): void {
    this.#contents.a = new EmulatedContent();
    this.#contents.a.write(image, 0);
    this.#contents.a.flush();
    this.#record = { phase: "settled", trials: this.#record.trials, confirmed: "a" };
  }

  /** Resets the boot record; not an operation of the console, so the power cannot fail. */
  forget(): void {
    this.#record = { phase: "settled", trials: 0, confirmed: "a" };
  }

  /**
   * Begins a run: chooses the slot to start.
   * @throws {PowerCut} if the power fails before the choice is stored
   * @throws {Error} if the confirmed image is incomplete, since no other image may start then
   */
  boot(why: RunEnd): Boot {
    this.power.require(this.power.run);
    const boot = this.#choose(why);
    if (!isWhole(this.content(boot.slot))) throw new Error(`Cannot start slot ${boot.slot}: it is not whole`);
    this.#running = boot.slot;
    return boot;
  }

  /** Returns a copy of the slot's content. */
  content(slot: Slot): Uint8Array {
    const bytes = new Uint8Array(this.#contents[slot].size);
    this.#contents[slot].read(bytes, 0);
    return bytes;
  }

  /** Replaces the boot record; one operation. */
  change(record: SlotRecord, confirmed = this.#record.confirmed): void {
    this.power.count();
    this.#record = { ...record, confirmed };
  }

  /** Empties a slot; one operation, or none if it is empty already. */
  empty(slot: Slot): void {
    if (this.#contents[slot].size === 0) return;
    this.power.count();
    this.#contents[slot].setSize(0);
  }

  /** Appends to a slot; one operation. */
  append(slot: Slot, bytes: Uint8Array): void {
    const content = this.#contents[slot];
    const end = content.size;
    if (bytes.length > this.capacityBytes - end)
      throw Object.assign(new Error("Cannot write: the slot is full"), { code: "storage_full" });
    this.power.count((choose) => content.write(bytes.subarray(0, choose(bytes.length)), end));
    content.write(bytes, end);
  }

  /** Flushes a slot; one operation. */
  flush(slot: Slot): void {
    this.power.count();
    this.#contents[slot].flush();
  }

  read(slot: Slot, into: Uint8Array, offset: number): number {
    return this.#contents[slot].read(into, offset);
  }

  lose(choose: (maximum: number) => number): void {
    for (const content of Object.values(this.#contents)) {
      for (let count = choose(content.changeCount); count > 0; count--) content.undoNewest();
      content.flush();
    }
  }

  #choose(why: RunEnd): Boot {
    const { phase, trials, confirmed } = this.#record;
    if (phase === "staged") return this.#try(otherThan(confirmed), trials);
    if (phase === "trial") return this.#settle(TRIAL_ENDS[why]);
    if (why === "software" && this.#running !== confirmed)
      return { slot: confirmed, resetReason: "rollback" };
    return { slot: confirmed, resetReason: why === "timeout" ? "software" : why };
  }

  #try(slot: Slot, trials: number): Boot {
    if (!isWhole(this.content(slot))) return this.#settle("damaged");
    this.change({ phase: "trial", trials });
    return { slot, resetReason: "update" };
  }

  #settle(lastEnd: TrialEnd): Boot {
    this.change({ phase: "settled", trials: this.#record.trials, lastEnd });
    return { slot: this.#record.confirmed, resetReason: "rollback" };
  }
}

/** The FirmwareSlots port, valid for one run. */
export class EmulatedSlots implements FirmwareSlots {
  readonly #loader: EmulatedBootLoader;
  readonly #run: number;
  readonly running: Slot;
  #updater: EmulatedUpdater | undefined;

  constructor(loader: EmulatedBootLoader) {
    this.#loader = loader;
    this.#run = loader.power.run;
    this.running = loader.running;
  }

  get capacityBytes(): number {
    return this.#loader.capacityBytes;
  }

  record(): SlotRecord {
    const { confirmed: _, ...record } = this.#require().record;
    return record;
  }

  open(): Updater {
    const loader = this.#require();
    const { phase, trials, confirmed } = loader.record;
    if (phase === "trial" || this.running !== confirmed)
      throw new Error("Cannot write to the slot that a failed trial goes back to");
    if (this.#updater?.isOpen) throw new Error("Cannot write to a slot twice at the same time");
    if (phase === "staged") loader.change({ phase: "settled", trials });
    loader.empty(loader.other);
    this.#updater = new EmulatedUpdater(loader);
    return this.#updater;
  }

  readOther(into: Uint8Array, offset: number): number {
    const loader = this.#require();
    return loader.read(loader.other, into, offset);
  }

  confirm(): void {
    const loader = this.#requireTrial();
    loader.change({ phase: "settled", trials: loader.record.trials, lastEnd: "confirmed" }, this.running);
  }

  revert(): void {
    const loader = this.#requireTrial();
    loader.change({ phase: "settled", trials: loader.record.trials, lastEnd: "timeout" });
  }

  #requireTrial(): EmulatedBootLoader {
    if (this.#require().record.phase !== "trial") throw new Error("Cannot end a trial: there is none");
    return this.#loader;
  }

  #require(): EmulatedBootLoader {
    this.#loader.power.require(this.#run);
    return this.#loader;
  }
}

class EmulatedUpdater implements Updater {
  readonly #loader: EmulatedBootLoader;
  readonly #run: number;
  readonly #slot: Slot;
  #isOpen = true;

  constructor(loader: EmulatedBootLoader) {
    this.#loader = loader;
    this.#run = loader.power.run;
    this.#slot = loader.other;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  write(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#require().append(this.#slot, bytes);
  }

  isImage(): undefined {}

  complete(): void {
    const loader = this.#require();
    loader.flush(this.#slot);
    loader.change({ phase: "staged", trials: loader.record.trials + 1 });
    this.#isOpen = false;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#loader.power.require(this.#run);
    this.#loader.empty(this.#slot);
  }

  #require(): EmulatedBootLoader {
    this.#loader.power.require(this.#run);
    if (!this.#isOpen) throw new Error("Cannot use a closed updater");
    return this.#loader;
  }
}

function otherThan(slot: Slot): Slot {
  return slot === "a" ? "b" : "a";
}

/** Returns true if `content` holds a complete image of a simulated console with a correct digest (`tools/image.ts`). */
function isWhole(content: Uint8Array): boolean {
  const image = Buffer.from(content);
  if (image.length < 128 || image.toString("latin1", 0, 8) !== "SVCIMAGE") return false;
  if (image.readUInt16LE(8) !== 1 || image.readUInt16LE(10) !== 128) return false;
  const end = 128 + image.readUInt32LE(12);
  if (end > image.length) return false;
  const digest = createHash("sha256").update(image.subarray(0, 96)).update(image.subarray(128, end)).digest();
  return digest.equals(image.subarray(96, 128));
}
