/**
 * Updates the console's own firmware (docs/spec/boot-and-slots.md#ota-states): carries out what `update-phase.ts`
 * decides, with the slots and the boot loader's record of them (`ports/firmware-slots.ts`).
 *
 * Each run finds out at its beginning what the previous run has left. In trial, it waits for a confirmation, and gives
 * up after a while. Else it records the end of the last trial, unless that is recorded (`update-phase.ts`): so a
 * rollback is reported once, and a confirmation is finished, whenever power went.
 *
 * A confirmation counts from one moment on, `slots.confirm`. The firmware's keys are safe beside those of the old
 * firmware before it, and in their place after it. Firmware that came by cable has no such moment: the user who
 * programs the flash owns the console, so its keys are trusted from its first start on where none are.
 */
import type { AvailableFirmware, OtaStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type { Clock, Timer, TimerHandle } from "../../../protocol/ports/runtime.js";
import type { Directory } from "../../ports/files.js";
import type { FirmwareSlots, Updater } from "../../ports/firmware-slots.js";
import type { Logger } from "../logs/log-line.js";
import type { Restart } from "../restart/restart.js";
import type { Settings } from "../settings/settings.js";
import { storageFault } from "../storage/stored-files.js";
import { ConfirmedKeys, type SecurityFloor, type StagedNote, type StagedSigner } from "./acceptance.js";
import type { FirmwareFacts } from "./firmware-facts.js";
import {
  advance,
  IDLE,
  LastResultNote,
  otaStatus,
  progressPercent,
  rolledBack,
  type Update,
  type UpdateEvent,
} from "./update-phase.js";

/** Progress is reported each time that so many more percent have arrived. */
const PROGRESS_STEP_PERCENT = 10;

/** From the end of a trial whose signer was revoked to the restart: who has brought the list is answered in it. */
const REVOKED_RESTART_MS = 1000;

export interface FirmwareServiceOptions {
  readonly slots: FirmwareSlots;
  readonly firmware: FirmwareFacts;
  readonly files: Directory;
  readonly settings: Settings;
  readonly restart: Restart;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly logger: Logger;
  /** How long after the boot firmware on trial is given up (`CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S`). */
  readonly confirmTimeoutS: number;
  readonly floor: SecurityFloor;
  readonly signer: StagedSigner;
  /** Confirmed firmware runs, and its keys are in their place: at its start, and when it has been confirmed. */
  onSettled(): void;
  /** The state of the update has changed, or a good part of it has come. */
  onChange(): void;
}

export class FirmwareService {
  readonly #options: FirmwareServiceOptions;
  readonly #keys: ConfirmedKeys;
  readonly #last: LastResultNote;
  #update: Update = IDLE;
  #available: AvailableFirmware | undefined;
  #expiry: TimerHandle | undefined;
  /** The confirmation counts, and what follows from it is still to be done. */
  #owesKeys = false;
  #isSignerRefused = false;
  /** The list has changed while firmware came in, whose signature may have been checked before that. */
  #owesSignerCheck = false;

  constructor(options: FirmwareServiceOptions) {
    this.#options = options;
    const { files, firmware, settings, logger } = options;
    this.#keys = new ConfirmedKeys(files, firmware.trustedKeys);
    this.#last = new LastResultNote(settings, logger);
    if (options.slots.record().phase === "trial") this.#awaitConfirmation();
    else this.#noteLastTrial();
    // Power may have gone between a list and what follows from it.
    if (options.signer.mayBeRevoked) this.revocationsChanged();
  }

  /** Bytes of the longest image that is taken. */
  get imageLimitBytes(): number {
    return this.#options.slots.capacityBytes;
  }

  get update(): Update {
    return this.#update;
  }

  /** Body of `GET /api/ota/status`. */
  status(): OtaStatus {
    const { clock, firmware, slots } = this.#options;
    return otaStatus({
      update: this.#update,
      runningVersion: firmware.version,
      runningSlot: slots.running,
      available: this.#available,
      lastResult: this.#last.result,
      nowMs: clock.uptimeMs(),
    });
  }

  /** What the hub has announced; `undefined`: nothing that is still to be fetched. */
  announce(available: AvailableFirmware | undefined): void {
    if (this.#available === available) return;
    this.#available = available;
    if (available) this.#options.logger.info(`firmware ${available.version} is available`);
    this.#options.onChange();
  }

  /**
   * Keeps the running firmware for good.
   * @throws {Fault} `nothing_pending`; `signature_invalid` where its signer is trusted no more; `storage_full`, and it
   *   is still to be confirmed
   */
  confirm(): void {
    const confirmed = advance(this.#update, { kind: "confirm" });
    if (this.#isSignerRefused || this.#options.signer.isListed(this.#options.firmware.version))
      throw new Fault("signature_invalid", "The key of this firmware is no longer trusted");
    const { firmware, logger, onChange, slots, timer } = this.#options;
    this.#keys.prepare();
    try {
      slots.confirm();
    } catch (error) {
      throw storageFault(error, "Cannot store the confirmation");
    }
    timer.clear(this.#expiry);
    this.#update = confirmed;
    logger.info(`firmware ${firmware.version} is confirmed`);
    this.#showConfirmed();
    this.#tryTo("put the keys of this firmware in their place", () => this.#finishConfirmation());
    onChange();
  }

  /**
   * A bundle is about to come.
   * @param totalBytes its length, where that is known
   * @throws {Fault} `busy`, `confirm_pending`, `upload_busy`, `storage_full`
   */
  begin(totalBytes: number | undefined): void {
    const receiving = advance(this.#update, { kind: "begin", totalBytes });
    // A body may have been under way when the restart was asked for, perhaps into what this would drop.
    if (this.#options.restart.isRequested) throw new Fault("busy", "The console is about to restart");
    if (this.#owesKeys) this.#repeatConfirmation();
    this.#change(receiving, "firmware is coming in");
  }

  /**
   * Empties the slot for the bundle that comes: nothing is staged any more.
   * @throws {Fault} `storage_full`
   */
  open(totalBytes: number): Updater {
    const { slots } = this.#options;
    const accepted = advance(this.#update, { kind: "accept", totalBytes });
    try {
      return slots.open();
    } finally {
      // It may have failed before or after that change of the record.
      if (slots.record().phase !== "staged") this.#update = accepted;
    }
  }

  /** So many bytes of the bundle have come so far. */
  receive(receivedBytes: number): void {
    const before = progressPercent(this.#update);
    this.#update = advance(this.#update, { kind: "receive", receivedBytes });
    const percent = progressPercent(this.#update);
    if (Math.floor(percent / PROGRESS_STEP_PERCENT) === Math.floor(before / PROGRESS_STEP_PERCENT)) return;
    this.#options.logger.info(`received ${percent} % of the firmware`);
    this.#options.onChange();
  }

  /** The bundle is what the next restart starts. */
  stage(version: string): void {
    this.#advance({ kind: "stage", version }, `firmware ${version} is staged: the next restart tries it`);
    if (this.#owesSignerCheck) this.revocationsChanged();
  }

  /** The bundle is not going to be staged. */
  abandon(): void {
    this.#advance({ kind: "abandon" }, "no firmware is coming in any more");
  }

  /**
   * The bundle was refused: that is how the update has ended.
   * @param version of its image, where that is known to be true
   */
  reject({ code, message }: Fault, version: string | undefined): void {
    const { logger } = this.#options;
    const line = `firmware is refused: ${message}`;
    if (code === "signature_invalid") logger.error(line);
    else logger.warning(line);
    this.#last.write({
      ...{ result: "rejected", error: code, message },
      ...(version !== undefined && { version }),
    });
  }

  /** Another list of revoked keys counts: what is staged or on trial ends where its signer is trusted no more. */
  revocationsChanged(): void {
    const { firmware, logger, signer, slots } = this.#options;
    const { phase } = slots.record();
    this.#owesSignerCheck = this.#update.phase === "receiving";
    const { note } = signer;
    if (phase === "settled" || !note || (phase === "trial" && note.version !== firmware.version)) return;
    this.#checkSigner(note).catch((error) =>
      logger.error(`cannot delete the firmware of a revoked key: ${error}`),
    );
  }

  /** The run ends. May be called twice. */
  close(): void {
    this.#options.timer.clear(this.#expiry);
    this.#expiry = undefined;
  }

  /** Without a trusted key for now, firmware on trial goes on, and cannot be confirmed before that has changed. */
  async #checkSigner(note: StagedNote): Promise<void> {
    const { signer, slots } = this.#options;
    let isTrusted: boolean;
    try {
      isTrusted = await signer.isTrusted(note);
      this.#isSignerRefused = !isTrusted;
    } catch (error) {
      this.#isSignerRefused = true;
      throw error;
    }
    const { phase } = slots.record();
    if (isTrusted || signer.note?.publicKey !== note.publicKey) return;
    if (phase === "staged") this.#dropStaged(note.version);
    else if (phase === "trial") this.#endRevokedTrial(note.version);
  }

  #dropStaged(version: string): void {
    this.#options.slots.open().close();
    if (this.#update.phase === "receiving") this.#update = { ...this.#update, fallback: IDLE };
    else this.#update = IDLE;
    this.reject(new Fault("signature_invalid", `The key of firmware ${version} is revoked`), version);
    this.#options.onChange();
  }

  #endRevokedTrial(version: string): void {
    const { logger, slots, timer } = this.#options;
    const message = `The key that has signed firmware ${version} was revoked before it was confirmed`;
    logger.error(`${message}: the old one comes back`);
    const { trials } = slots.record();
    slots.revert();
    // In the place of the word for it that the boot loader has.
    this.#last.write({ result: "rolled_back", error: "signature_invalid", message, version }, trials);
    timer.clear(this.#expiry);
    this.#expiry = timer.set(() => this.#restart(), REVOKED_RESTART_MS);
    this.#options.onChange();
  }

  #restart(): void {
    const { restart } = this.#options;
    restart.request();
    restart.perform();
  }

  #advance(event: UpdateEvent, line: string): void {
    this.#change(advance(this.#update, event), line);
  }

  #change(update: Update, line: string): void {
    this.#update = update;
    this.#options.logger.info(line);
    this.#options.onChange();
  }

  #awaitConfirmation(): void {
    const { clock, confirmTimeoutS, firmware, logger, timer } = this.#options;
    const untilMs = confirmTimeoutS * 1000;
    this.#update = { phase: "pending_confirm", untilMs };
    this.#expiry = timer.set(() => this.#giveUp(), Math.max(untilMs - clock.uptimeMs(), 0));
    logger.warning(
      `firmware ${firmware.version} is on trial: unless it is confirmed by ${confirmTimeoutS} s after its start, the old one comes back`,
    );
  }

  /** The phase stays: until the restart, the other slot must not be written. */
  #giveUp(): void {
    const { firmware, logger, slots } = this.#options;
    logger.error(`firmware ${firmware.version} was not confirmed in time: the old one comes back`);
    try {
      slots.revert();
    } catch (error) {
      logger.error(`the trial could not be ended cleanly, the restart ends it: ${error}`);
    }
    this.#restart();
  }

  #noteLastTrial(): void {
    const { logger, slots } = this.#options;
    const record = slots.record();
    const isNews = record.phase === "settled" && record.trials !== this.#last.trial;
    const lastEnd = isNews ? record.lastEnd : undefined;
    if (lastEnd === "confirmed") {
      this.#showConfirmed();
      this.#tryTo("put the keys of this firmware in their place", () => this.#repeatConfirmation());
      return;
    }
    if (lastEnd) {
      const result = rolledBack(lastEnd, slots);
      logger.error(`the update has failed: ${result.message}`);
      this.#last.write(result, record.trials);
    }
    // A record that was lost counts from 0 again; its next trial must not have the number of one that was noted.
    if (record.trials < this.#last.trial) this.#last.renumber(record.trials);
    this.#tryTo("delete the keys of firmware that was not confirmed", () => this.#keys.discard());
    if (record.phase !== "settled") return;
    this.#tryTo("put the first keys in their place", () => this.#bringFirstKeys());
    this.#options.onSettled();
  }

  /** Of confirmed firmware, and never over others: those are of firmware that was confirmed later, or were put there. */
  #bringFirstKeys(): void {
    if (!this.#keys.areFirst) return;
    this.#keys.prepare();
    this.#keys.apply();
    const { firmware, logger } = this.#options;
    logger.info(`trusting the keys of firmware ${firmware.version}: there were none before`);
  }

  #showConfirmed(): void {
    this.#owesKeys = true;
    this.#last.show({ result: "confirmed", version: this.#options.firmware.version });
  }

  /** In another run, or after a failure: nothing is known of the keys beside the old ones. */
  #repeatConfirmation(): void {
    this.#keys.prepare();
    this.#finishConfirmation();
  }

  #finishConfirmation(): void {
    const { firmware, floor, onSettled, slots } = this.#options;
    this.#keys.apply();
    floor.raise();
    this.#owesKeys = false;
    this.#last.write({ result: "confirmed", version: firmware.version }, slots.record().trials);
    onSettled();
  }

  /** Something that is tried again at the next start, and before other firmware comes. */
  #tryTo(what: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#options.logger.error(`cannot ${what} yet: ${error}`);
    }
  }
}
