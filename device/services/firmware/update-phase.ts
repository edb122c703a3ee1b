/**
 * The states of a firmware update within one run of the console (docs/spec/boot-and-slots.md#ota-states), as pure
 * functions: this decides, `FirmwareService` acts.
 *
 *               begin                 stage                restart
 *     idle ----------------> receiving -----> staged . . . . . . . . . > pending_confirm
 *      ^ ^                    |  ^ |           ^ |                             |
 *      | |                    |  | `-----------' |                             |
 *      | `--------------------'  |    abandon    |                             |
 *      |       abandon           `---------------'                             |
 *      |                               begin                                   |
 *      `-----------------------------------------------------------------------'
 *                                      confirm
 *
 * An abandoned upload returns to its starting state, unless it has erased the slot (`accept`): the staged firmware is
 * then gone. The dotted transition passes through the boot loader, and so does a rollback: a run begins as idle or as
 * pending_confirm.
 */
import type { AvailableFirmware, LastResult, OtaStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { IMAGE_HEAD_BYTES, readImageHeader } from "../../../protocol/firmware/image-header.js";
import { type Json, parseJson } from "../../../protocol/json.js";
import type { FirmwareSlots, Slot, TrialEnd } from "../../ports/firmware-slots.js";
import type { Logger } from "../logs/log-line.js";
import { LAST_UPDATE_SETTING, type Settings } from "../settings/settings.js";

// Describes a failed trial.

const WHAT_HAPPENED: Readonly<Record<Exclude<TrialEnd, "confirmed">, string>> = Object.freeze({
  crash: "crashed before it was confirmed",
  watchdog: "hung before it was confirmed",
  reboot: "was restarted before it was confirmed",
  power_loss: "lost power before it was confirmed",
  timeout: "was not confirmed in time",
  damaged: "was damaged at its start",
  replaced: "was damaged after it was confirmed",
});

/** @param slots whose other slot still holds the image of the trial */
export function rolledBack(end: Exclude<TrialEnd, "confirmed">, slots: FirmwareSlots): LastResult {
  const version = versionOf(slots);
  const unknown = end === "replaced" ? "The confirmed firmware" : "The new firmware";
  const name = version === undefined ? unknown : `Firmware ${version}`;
  return {
    result: "rolled_back",
    error: end,
    message: `${name} ${WHAT_HAPPENED[end]}`,
    ...(version !== undefined && { version }),
  };
}

function versionOf(slots: FirmwareSlots): string | undefined {
  const head = new Uint8Array(IMAGE_HEAD_BYTES);
  const byteLength = slots.readOther(head, 0);
  try {
    return readImageHeader(head.subarray(0, byteLength)).version;
  } catch (error) {
    if (error instanceof Fault) return undefined; // a damaged image need not have a header
    throw error;
  }
}

// Stores how the last update ended (`last_result` of docs/spec/boot-and-slots.md#last-result) in one setting, together
// with the number of the last recorded trial: so the end of a trial is recorded once, whenever power fails.

const RESULTS: readonly Result[] = Object.freeze(["confirmed", "rolled_back", "rejected"]);
type Result = LastResult["result"];

/** The setting: a result, and a number as in `SlotRecord.trials`. */
type Note = LastResult & { readonly trial: number };

const NAMES: readonly string[] = Object.freeze(["result", "error", "message", "version", "trial"]);
const LIMITS = Object.freeze({ byteLength: 4096, depth: 1, values: 64, names: NAMES });

export class LastResultRecord {
  readonly #settings: Settings;
  readonly #logger: Logger;
  #result: LastResult | undefined;
  #trial = 0;

  constructor(settings: Settings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
    this.#read();
  }

  /** `undefined` if no update has ended yet. */
  get result(): LastResult | undefined {
    return this.#result;
  }

  /** Number of the last recorded trial, 0 if there is none. */
  get trial(): number {
    return this.#trial;
  }

  /** Sets the result for this run only. */
  show(result: LastResult): void {
    this.#result = result;
  }

  /** Sets and stores the result. Logs a failure to write it. */
  write(result: LastResult, trial = this.#trial): void {
    this.show(result);
    this.#trial = trial;
    try {
      this.#settings.write(LAST_UPDATE_SETTING, JSON.stringify({ ...result, trial } satisfies Note));
    } catch (error) {
      this.#logger.warning(`cannot store the result of the update: ${error}`);
    }
  }

  /** Changes the number of the last recorded trial. */
  renumber(trial: number): void {
    if (this.#result) this.write(this.#result, trial);
  }

  #read(): void {
    try {
      const text = this.#settings.read(LAST_UPDATE_SETTING);
      if (text === undefined) return;
      const { trial, ...result } = noteOf(parseJson(new TextEncoder().encode(text), LIMITS));
      this.#result = result;
      this.#trial = trial;
    } catch (error) {
      this.#logger.warning(`cannot read the result of the last update: ${error}`);
    }
  }
}

/** @throws {TypeError} if the value is damaged */
function noteOf(json: Json): Note {
  const { result, error, message, version, trial } = Object(json) as Record<string, unknown>;
  if (!isResult(result) || !isCount(trial)) throw new TypeError("the value is damaged");
  return {
    result,
    ...(typeof error === "string" && { error }),
    ...(typeof message === "string" && { message }),
    ...(typeof version === "string" && { version }),
    trial,
  };
}

function isResult(value: unknown): value is Result {
  return (RESULTS as readonly unknown[]).includes(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

// Body of `GET /api/ota/status` (docs/spec/boot-and-slots.md#ota-status).

interface OtaStatusSources {
  readonly update: Update;
  readonly runningVersion: string;
  readonly runningSlot: Slot;
  readonly available: AvailableFirmware | undefined;
  readonly lastResult: LastResult | undefined;
  /** Milliseconds since boot. */
  readonly nowMs: number;
}

export function otaStatus({
  update,
  runningVersion,
  runningSlot,
  available,
  lastResult,
  nowMs,
}: OtaStatusSources): OtaStatus {
  return {
    state: update.phase,
    ...lengths(update),
    progress_percent: progressPercent(update),
    running_version: runningVersion,
    running_slot: runningSlot,
    ...(update.phase === "staged" && { staged_version: update.version }),
    ...(update.phase === "pending_confirm" && { confirm_within_ms: Math.max(update.untilMs - nowMs, 0) }),
    ...(available && { available }),
    ...(lastResult && { last_result: lastResult }),
  };
}

function lengths(update: Update): Pick<OtaStatus, "received_bytes" | "total_bytes"> {
  switch (update.phase) {
    case "receiving":
      return { received_bytes: update.receivedBytes, total_bytes: update.totalBytes ?? 0 };
    case "staged":
      return { received_bytes: update.totalBytes, total_bytes: update.totalBytes };
    case "idle":
    case "pending_confirm":
      return { received_bytes: 0, total_bytes: 0 };
    default:
      return update satisfies never;
  }
}

interface Idle {
  readonly phase: "idle";
}

export interface Receiving {
  readonly phase: "receiving";
  readonly receivedBytes: number;
  /** Length of the bundle, `undefined` while unknown from header and request. */
  readonly totalBytes: number | undefined;
  /** State after an abandoned upload. */
  readonly fallback: Idle | Staged;
}

export interface Staged {
  readonly phase: "staged";
  readonly version: string;
  /** Length of the bundle. */
  readonly totalBytes: number;
}

interface PendingConfirm {
  readonly phase: "pending_confirm";
  /** Time of the rollback, in milliseconds since boot. */
  readonly untilMs: number;
}

export type Update = Idle | Receiving | Staged | PendingConfirm;

export type UpdateEvent =
  | { readonly kind: "begin"; readonly totalBytes: number | undefined }
  /** The header is complete and accepted: the slot is written from here on. */
  | { readonly kind: "accept"; readonly totalBytes: number }
  /** Progress. */
  | { readonly kind: "receive"; readonly receivedBytes: number }
  | { readonly kind: "stage"; readonly version: string }
  | { readonly kind: "abandon" }
  | { readonly kind: "confirm" };

export const IDLE: Idle = Object.freeze({ phase: "idle" });

/** @throws {Fault} `confirm_pending`, `upload_busy`, `nothing_pending` */
export function advance(update: Update, event: UpdateEvent): Update {
  if (event.kind === "begin") return begin(update, event.totalBytes);
  if (event.kind === "confirm") return confirm(update);
  if (update.phase !== "receiving") throw new Error(`Cannot handle "${event.kind}" while ${update.phase}`);
  switch (event.kind) {
    case "accept":
      return { ...update, totalBytes: event.totalBytes, fallback: IDLE };
    case "receive":
      return receiving(update, event.receivedBytes);
    case "stage":
      return { phase: "staged", version: event.version, totalBytes: update.receivedBytes };
    case "abandon":
      return update.fallback;
    default:
      return event satisfies never;
  }
}

/** Not spread from `update`: on XS a spread takes three times as long, for each piece of the bundle. */
function receiving({ totalBytes, fallback }: Receiving, receivedBytes: number): Receiving {
  return { phase: "receiving", receivedBytes, totalBytes, fallback };
}

/** Received part of the bundle in whole percent; 0 while its length is unknown. */
export function progressPercent(update: Update): number {
  if (update.phase === "staged") return 100;
  if (update.phase !== "receiving" || !update.totalBytes) return 0;
  return Math.floor((100 * update.receivedBytes) / update.totalBytes);
}

function begin(update: Update, totalBytes: number | undefined): Receiving {
  switch (update.phase) {
    case "idle":
    case "staged":
      return { phase: "receiving", receivedBytes: 0, totalBytes, fallback: update };
    case "receiving":
      throw new Fault("upload_busy", "Other firmware is being received");
    case "pending_confirm":
      throw new Fault("confirm_pending", "Confirm the running firmware before sending other firmware");
    default:
      return update satisfies never;
  }
}

function confirm({ phase }: Update): Idle {
  if (phase === "pending_confirm") return IDLE;
  throw new Fault("nothing_pending", "There is no firmware to confirm");
}
