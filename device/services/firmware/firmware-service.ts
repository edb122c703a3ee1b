/**
 * Updates the console's own firmware (docs/spec/boot-and-slots.md#ota-states): carries out what `update-phase.ts`
 * decides, with the slots and the boot loader's record of them (`ports/firmware-slots.ts`).
 *
 * Each run first reads the state that the previous run has left. During a trial it waits for a confirmation, with a
 * time-out. Otherwise it records the end of the last trial, unless that is recorded (`update-phase.ts`): so a rollback
 * is reported once, and an interrupted confirmation is completed, after a power cut at any point.
 *
 * `slots.confirm` is the commit point of a confirmation. The firmware's keys are stored beside those of the old
 * firmware before it, and replace them after it. Firmware that is flashed by cable has no confirmation: whoever flashes
 * the console owns it, so its keys are trusted from its first start if there are no others.
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
import { ConfirmedKeys, type SecurityFloor, type StagedRecord, type StagedSigner } from "./acceptance.js";
import type { FirmwareFacts } from "./firmware-facts.js";
import {
  advance,
  IDLE,
  LastResultRecord,
  otaStatus,
  progressPercent,
  rolledBack,
  type Update,
  type UpdateEvent,
} from "./update-phase.js";

/** Step of the progress reports. */
const PROGRESS_STEP_PERCENT = 10;

/** Delay of the restart after a trial ended by a revocation, so that the sender of the list gets its answer. */
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
  /** Time-out of a trial, from boot (`CONFIG_SVC_OTA_CONFIRM_TIMEOUT_S`). */
  readonly confirmTimeoutS: number;
  readonly floor: SecurityFloor;
  readonly signer: StagedSigner;
  /** Called when confirmed firmware runs with its keys trusted: at its start, and after its confirmation. */
  onSettled(): void;
  /** Called when the state of the update or its progress has changed. */
  onChange(): void;
}

export class FirmwareService {
  readonly #options: FirmwareServiceOptions;
  readonly #keys: ConfirmedKeys;
  readonly #last: LastResultRecord;
  #update: Update = IDLE;
  /** Of the bundle that is received. */
  #percent = 0;
  #available: AvailableFirmware | undefined;
  #expiry: TimerHandle | undefined;
  /** Whether the confirmation is committed but its keys are not in place. */
  #mustApplyKeys = false;
  #isSignerRefused = false;
  /** Whether the revocation list changed during an upload, whose signature may have been checked before. */
  #mustCheckSigner = false;

  constructor(options: FirmwareServiceOptions) {
    this.#options = options;
    const { files, firmware, settings, logger } = options;
    this.#keys = new ConfirmedKeys(files, firmware.trustedKeys);
    this.#last = new LastResultRecord(settings, logger);
    if (options.slots.record().phase === "trial") this.#awaitConfirmation();
    else this.#recordLastTrial();
    // Power may have failed after a list was stored and before it was applied.
    if (options.signer.mayBeRevoked) this.revocationsChanged();
  }

  /** Longest image in bytes. */
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

  /** Sets the firmware that the hub offers; `undefined` if there is none to fetch. */
  announce(available: AvailableFirmware | undefined): void {
    if (this.#available === available) return;
    this.#available = available;
    if (available) this.#options.logger.info(`firmware ${available.version} is available`);
    this.#options.onChange();
  }

  /**
   * Confirms the running firmware.
   * @throws {Fault} `nothing_pending`; `signature_invalid` if its signer is no longer trusted; `storage_full`, then it
   *   is still on trial
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
    this.#tryTo("apply the keys of this firmware", () => this.#finishConfirmation());
    onChange();
  }

  /**
   * Starts to receive a bundle.
   * @param totalBytes its length, if known
   * @throws {Fault} `busy`, `confirm_pending`, `upload_busy`, `storage_full`
   */
  begin(totalBytes: number | undefined): void {
    const receiving = advance(this.#update, { kind: "begin", totalBytes });
    // The restart may have been requested during an upload, perhaps into the firmware that this would drop.
    if (this.#options.restart.isRequested) throw new Fault("busy", "The console is about to restart");
    if (this.#mustApplyKeys) this.#repeatConfirmation();
    this.#percent = 0;
    this.#change(receiving, "receiving firmware");
  }

  /**
   * Erases the slot for the bundle; staged firmware is dropped.
   * @throws {Fault} `storage_full`
   */
  open(totalBytes: number): Updater {
    const { slots } = this.#options;
    const accepted = advance(this.#update, { kind: "accept", totalBytes });
    try {
      return slots.open();
    } finally {
      // The call may have failed before or after the change of the record.
      if (slots.record().phase !== "staged") this.#update = accepted;
    }
  }

  /** Updates the progress. */
  receive(receivedBytes: number): void {
    this.#update = advance(this.#update, { kind: "receive", receivedBytes });
    const percent = progressPercent(this.#update);
    const before = this.#percent;
    this.#percent = percent;
    if (percent - (percent % PROGRESS_STEP_PERCENT) <= before) return;
    this.#options.logger.info(`received ${percent} % of the firmware`);
    this.#options.onChange();
  }

  /** The bundle is complete and boots at the next restart. */
  stage(version: string): void {
    this.#advance(
      { kind: "stage", version },
      `staged firmware ${version}: the next restart starts it on trial`,
    );
    if (this.#mustCheckSigner) this.revocationsChanged();
  }

  /** The bundle will not be staged. */
  abandon(): void {
    this.#advance({ kind: "abandon" }, "stopped receiving firmware");
  }

  /**
   * Records that the bundle was rejected.
   * @param version of its image, if verified
   */
  reject({ code, message }: Fault, version: string | undefined): void {
    const { logger } = this.#options;
    const line = `rejected firmware: ${message}`;
    if (code === "signature_invalid") logger.error(line);
    else logger.warning(line);
    this.#last.write({
      result: "rejected",
      error: code,
      message,
      ...(version !== undefined && { version }),
    });
  }

  /** Applies a new revocation list: drops staged firmware, or ends the trial, if the signer is no longer trusted. */
  revocationsChanged(): void {
    const { firmware, logger, signer, slots } = this.#options;
    const { phase } = slots.record();
    this.#mustCheckSigner = this.#update.phase === "receiving";
    const { record } = signer;
    if (phase === "settled" || !record || (phase === "trial" && record.version !== firmware.version)) return;
    this.#checkSigner(record).catch((error) =>
      logger.error(`cannot delete the firmware of a revoked key: ${error}`),
    );
  }

  /** Called at the end of the run. May be called twice. */
  close(): void {
    this.#options.timer.clear(this.#expiry);
    this.#expiry = undefined;
  }

  /** If no key can be trusted at present, the trial continues without the possibility to confirm it. */
  async #checkSigner(record: StagedRecord): Promise<void> {
    const { signer, slots } = this.#options;
    let isTrusted: boolean;
    try {
      isTrusted = await signer.isTrusted(record);
      this.#isSignerRefused = !isTrusted;
    } catch (error) {
      this.#isSignerRefused = true;
      throw error;
    }
    const { phase } = slots.record();
    if (isTrusted || signer.record?.publicKey !== record.publicKey) return;
    if (phase === "staged") this.#dropStaged(record.version);
    else if (phase === "trial") this.#endRevokedTrial(record.version);
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
    const message = `The key that signed firmware ${version} was revoked before the confirmation`;
    logger.error(`${message}: rolling back`);
    const { trials } = slots.record();
    slots.revert();
    // Replaces the reason that the boot loader would record.
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
    this.#expiry = timer.set(() => this.#onTrialTimeout(), Math.max(untilMs - clock.uptimeMs(), 0));
    logger.warning(
      `firmware ${firmware.version} is on trial: it is rolled back unless it is confirmed within ${confirmTimeoutS} s after its start`,
    );
  }

  /** Ends the trial. The phase stays, since the other slot must not be written until the restart. */
  #onTrialTimeout(): void {
    const { firmware, logger, slots } = this.#options;
    logger.error(`firmware ${firmware.version} was not confirmed in time: rolling back`);
    try {
      slots.revert();
    } catch (error) {
      logger.error(`cannot end the trial, the restart ends it: ${error}`);
    }
    this.#restart();
  }

  #recordLastTrial(): void {
    const { logger, slots } = this.#options;
    const record = slots.record();
    const isNews = record.phase === "settled" && record.trials !== this.#last.trial;
    const lastEnd = isNews ? record.lastEnd : undefined;
    if (lastEnd === "confirmed") {
      this.#showConfirmed();
      this.#tryTo("apply the keys of this firmware", () => this.#repeatConfirmation());
      return;
    }
    if (lastEnd) {
      const result = rolledBack(lastEnd, slots);
      logger.error(`the update failed: ${result.message}`);
      this.#last.write(result, record.trials);
    }
    // A lost boot record counts from 0 again; its next trial must not reuse a recorded number.
    if (record.trials < this.#last.trial) this.#last.renumber(record.trials);
    this.#tryTo("delete the keys of firmware that was not confirmed", () => this.#keys.discard());
    if (record.phase !== "settled") return;
    this.#tryTo("apply the first keys", () => this.#applyFirstKeys());
    this.#options.onSettled();
  }

  /** Applies the keys of confirmed firmware if there are none; others may be newer, or set by the owner. */
  #applyFirstKeys(): void {
    if (!this.#keys.areFirst) return;
    this.#keys.prepare();
    this.#keys.apply();
    const { firmware, logger } = this.#options;
    logger.info(`trusting the keys of firmware ${firmware.version}: there were none before`);
  }

  #showConfirmed(): void {
    this.#mustApplyKeys = true;
    this.#last.show({ result: "confirmed", version: this.#options.firmware.version });
  }

  /** In another run or after a failure, when the state of the stored keys is unknown. */
  #repeatConfirmation(): void {
    this.#keys.prepare();
    this.#finishConfirmation();
  }

  #finishConfirmation(): void {
    const { firmware, floor, onSettled, slots } = this.#options;
    this.#keys.apply();
    floor.raise();
    this.#mustApplyKeys = false;
    this.#last.write({ result: "confirmed", version: firmware.version }, slots.record().trials);
    onSettled();
  }

  /** Runs a step that is repeated at the next start and before the next update if it fails. */
  #tryTo(what: string, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#options.logger.error(`cannot ${what} yet: ${error}`);
    }
  }
}
