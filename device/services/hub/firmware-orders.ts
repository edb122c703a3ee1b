/**
 * Carries out `firmware.update` (docs/spec/device-hub.md#firmware-update): announces the ordered firmware, downloads it
 * immediately or on a client's request, and reports each step to the hub, up to the end of its trial. The pure
 * functions that decide come first; `FirmwareOrders` acts.
 */

import type { HubQuestion, LastResult, OtaStatus, Updates } from "../../../protocol/device/answers.js";
import { Fault, type FaultCode } from "../../../protocol/fault.js";
import type {
  FirmwareProgress,
  FirmwareResult,
  FirmwareUpdate,
} from "../../../protocol/hub/push-messages.js";
import { type Json, parseJson } from "../../../protocol/json.js";
import { parseVersion } from "../../../protocol/version.js";
import type { BundleStart } from "../firmware/firmware-receiver.js";
import type { FirmwareService } from "../firmware/firmware-service.js";
import type { Logger } from "../logs/log-line.js";
import { HUB_FIRMWARE_SETTING, type Settings } from "../settings/settings.js";
import type { UploadSink } from "../upload/upload-phase.js";
import type { Uploads } from "../upload/uploads.js";
import { type Command, type CommandQueue, isTransient } from "./command-queue.js";
import type { FileCallbacks, FileSource } from "./file-source.js";
import { IncomingFile } from "./incoming-file.js";
import { questionId } from "./questions.js";

/** Ids are UUIDs. A longer id, perhaps an attacker's, could fill the setting that holds the results. */
export const COMMAND_ID_LIMIT = 64;

/** A longer name of a publisher is left out. */
const PUBLISHER_LIMIT = 128;

/** The stored order must fit a setting, which has at most 3999 bytes (`ports/key-value.ts`). */
const DOWNLOAD_URL_LIMIT = 2048;

// The hub's last firmware order, kept across restarts in one setting.

const NAMES: readonly string[] = Object.freeze([
  "commandId",
  "version",
  "downloadUrl",
  "downloadUrlSignature",
  "signature",
  "sizeBytes",
  "publisher",
  "state",
  "error",
]);
const LIMITS = Object.freeze({ byteLength: 4096, depth: 1, values: 64, names: NAMES });

const STATES: readonly string[] = Object.freeze([
  "available",
  "staged",
  "pending_confirm",
  "confirmed",
  "rolled_back",
  "rejected",
] satisfies FirmwareProgress[]);

class FirmwareRecord {
  readonly #settings: Settings;
  readonly #logger: Logger;
  #order: FirmwareOrder | undefined;

  constructor(settings: Settings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
    this.#order = this.#read();
  }

  get order(): FirmwareOrder | undefined {
    return this.#order;
  }

  /** Sets the order, and stores it for later runs. Logs a failed write. */
  write(order: FirmwareOrder): void {
    this.#order = order;
    try {
      this.#settings.write(HUB_FIRMWARE_SETTING, JSON.stringify(order));
    } catch (error) {
      this.#logger.warning(`cannot store the hub's order: ${error}`);
    }
  }

  #read(): FirmwareOrder | undefined {
    try {
      const text = this.#settings.read(HUB_FIRMWARE_SETTING);
      return text === undefined ? undefined : storedOrder(parseJson(new TextEncoder().encode(text), LIMITS));
    } catch (error) {
      this.#logger.warning(`cannot read the hub's last order: ${error}`);
      return undefined;
    }
  }
}

/** @throws {TypeError} unless `json` is an order */
function storedOrder(json: Json): FirmwareOrder {
  const members = Object(json) as Record<string, unknown>;
  const { commandId, version, downloadUrl, downloadUrlSignature, signature, state, error } = members;
  const { sizeBytes, publisher } = members;
  const texts = [commandId, version, downloadUrl, signature, state];
  const isOrder = texts.every((text) => typeof text === "string") && STATES.includes(state as string);
  if (!isOrder || (error !== null && typeof error !== "string")) throw new TypeError("it is damaged");
  return {
    commandId,
    version,
    downloadUrl,
    signature,
    state,
    error,
    ...(typeof downloadUrlSignature === "string" && { downloadUrlSignature }),
    ...(typeof sizeBytes === "number" && { sizeBytes }),
    ...(typeof publisher === "string" && { publisher }),
  } as FirmwareOrder;
}

// Progress of the ordered firmware (`FirmwareProgress`), derived from the console's own update state, whichever client
// caused the update. The functions below have no effects.
//
//                 fetched, or uploaded       restart                  confirm
//     available --------------------> staged ------> pending_confirm ---------> confirmed
//       |    ^                          |  \               |
//       |    `--------------------------'   `--------------'----> rolled_back
//       |      other firmware is staged          next start
//       `--> rejected: the user has declined it, or it cannot be installed
//
// The three final states are kept until the hub orders other firmware, since it may ask for the result again. Firmware
// that is already running, and confirmed, is `confirmed` whatever the state was before.

interface FirmwareOrder {
  /** `""` if the hub gives none. */
  readonly commandId: string;
  readonly version: string;
  readonly downloadUrl: string;
  /** A trusted hub's signature over `downloadUrl`, if the command had one. */
  readonly downloadUrlSignature?: string;
  /** The bundle's signature, in hexadecimal. */
  readonly signature: string;
  /** As the hub says, for the question to the user. */
  readonly sizeBytes?: number;
  readonly publisher?: string;
  readonly state: FirmwareProgress;
  /** Why it was rejected or rolled back. */
  readonly error: string | null;
}

const ENDS: readonly FirmwareProgress[] = Object.freeze([
  "confirmed",
  "rolled_back",
  "rejected",
] satisfies FirmwareProgress[]);

function isOver({ state }: FirmwareOrder): boolean {
  return ENDS.includes(state);
}

/** Whether both are the same order, received twice. An id names one order: the user is asked about it by that id. */
function isSameOrder(one: FirmwareOrder, other: FirmwareOrder): boolean {
  if (one.commandId !== other.commandId) return false;
  return one.commandId !== "" || (one.version === other.version && one.signature === other.signature);
}

/** The console's current update state. */
type UpdateFacts = Pick<OtaStatus, "state" | "staged_version" | "running_version" | "last_result">;

/** The order's progress at any time except at a start. @returns `order` itself if nothing has changed */
function followed(order: FirmwareOrder, facts: UpdateFacts): FirmwareOrder {
  if (isOver(order)) return order;
  return withState(order, progressOf(order, facts));
}

/** The order's progress at a start, when the result of a trial is known. */
function resumed(order: FirmwareOrder, facts: UpdateFacts): FirmwareOrder {
  const wasTried = order.state === "staged" || order.state === "pending_confirm";
  const { last_result: last } = facts;
  if (wasTried && last && isRollbackOf(order, last) && progressOf(order, facts) === "available")
    return { ...order, state: "rolled_back", error: last.error ?? null };
  return followed(order, facts);
}

/** The order after its bundle was refused, or turned out to be other than ordered. */
function rejected(order: FirmwareOrder, error: string): FirmwareOrder {
  return isOver(order) ? order : { ...order, state: "rejected", error };
}

function progressOf({ version }: FirmwareOrder, facts: UpdateFacts): FirmwareProgress {
  const { state, staged_version: staged, running_version: running } = facts;
  if (running === version) return state === "pending_confirm" ? "pending_confirm" : "confirmed";
  return staged === version ? "staged" : "available";
}

function withState(order: FirmwareOrder, state: FirmwareProgress): FirmwareOrder {
  return state === order.state ? order : { ...order, state };
}

/** The result of a damaged image has no version. */
function isRollbackOf({ version }: FirmwareOrder, last: LastResult): boolean {
  return last.result === "rolled_back" && (last.version ?? version) === version;
}

export interface FirmwareOrdersOptions {
  readonly settings: Settings;
  readonly ota: Pick<FirmwareService, "status" | "announce">;
  readonly uploads: Pick<Uploads, "hold" | "keep" | "release">;
  /** Whether firmware is downloaded as soon as it is available, and apps wait for the user's answer. */
  updates(): Updates;
  /** Called when other questions wait for the user's answer. */
  onQuestions?(): void;
  readonly logger: Logger;
  receiveFirmware(start: BundleStart): UploadSink;
}

interface FirmwareHub {
  readonly queue: Pick<CommandQueue, "add">;
  readonly files: Pick<FileSource, "close" | "fetch" | "isSlow">;
  report(result: FirmwareResult): void;
}

/** Not a valid app name, so it differs from every app's subject. */
const SUBJECT = "the firmware";

export class FirmwareOrders {
  readonly #options: FirmwareOrdersOptions;
  readonly #hub: FirmwareHub;
  readonly #record: FirmwareRecord;
  /** The order that was queued for its download. */
  #applied: FirmwareOrder | undefined;
  #isClosed = false;

  constructor(options: FirmwareOrdersOptions, hub: FirmwareHub) {
    this.#options = options;
    this.#hub = hub;
    this.#record = new FirmwareRecord(options.settings, options.logger);
    const { order } = this.#record;
    if (!order) return;
    this.#change(order, resumed(order, options.ota.status()));
    this.#announce();
    if (options.updates() === "automatic") this.apply();
  }

  /** Starts to follow a new order. For the order that it follows already, reports the progress again. */
  accept(command: FirmwareUpdate): void {
    const before = this.#record.order;
    const order = orderOf(command);
    if (before && isSameOrder(before, order)) this.#report(before);
    else this.#begin(order);
    if (this.#options.updates() === "automatic") this.apply();
  }

  /** To be called when the console's update state changes. */
  followUpdate(): void {
    const { order } = this.#record;
    if (this.#isClosed || !order || isOver(order)) return;
    if (this.#change(order, followed(order, this.#options.ota.status()))) this.#announce();
  }

  /**
   * Queues the download of the available firmware, which is then staged.
   * @returns its version, `undefined` if none is available
   */
  apply(): string | undefined {
    const { order } = this.#record;
    if (order?.state !== "available") return undefined;
    if (this.#hub.queue.add(this.#fetching(order))) this.#applied = order;
    this.#options.onQuestions?.();
    return order.version;
  }

  /** What the user has to answer, if anything: `apply` or `decline` is the answer. */
  get question(): HubQuestion | undefined {
    const { order } = this.#record;
    const isWaiting = order?.state === "available" && order !== this.#applied;
    return isWaiting && this.#options.updates() !== "automatic" ? questionOf(order) : undefined;
  }

  /** The user does not want the available firmware. */
  decline(): void {
    const { order } = this.#record;
    if (order?.state !== "available") return;
    this.#change(order, rejected(order, "declined" satisfies FaultCode));
    this.#announce();
  }

  /** To be called when the user may have chosen that nothing is asked. */
  followPreferences(): void {
    if (this.#options.updates() === "automatic") this.apply();
  }

  /** To be called when the hub changes: withdraws the announcement and reports nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#options.ota.announce(undefined);
  }

  #begin(order: FirmwareOrder): void {
    const isKept = canBeKept(order);
    const begun = isKept ? followed(order, this.#options.ota.status()) : rejected(order, "bad_parameter");
    if (isKept) {
      this.#supersede();
      this.#record.write(begun);
    }
    this.#announce();
    this.#report(begun);
  }

  /** Reports the last order as superseded unless it is over. */
  #supersede(): void {
    const { order } = this.#record;
    if (order && !isOver(order)) this.#report(rejected(order, "superseded"));
  }

  #fetching(order: FirmwareOrder): Command {
    const id = `${order.version} ${order.commandId}`;
    // 0: the note keeps the order's texts anyway.
    return {
      id,
      subject: SUBJECT,
      characters: 0,
      run: (tries) => this.#fetch(order, tries),
      supersede: ignore,
    };
  }

  async #fetch(order: FirmwareOrder, tries: number): Promise<void> {
    if (this.#record.order !== order) return;
    try {
      await this.#receive(order);
    } catch (error) {
      if (this.#isClosed || isTransient(error, tries)) throw error;
      this.#reject(order, error);
    }
  }

  /** Receives the bundle as `Uploads` receives one from a request. */
  async #receive(order: FirmwareOrder): Promise<void> {
    const { uploads } = this.#options;
    const { files } = this.#hub;
    const file = new IncomingFile(files);
    uploads.hold(file);
    try {
      const callbacks: FileCallbacks = {
        onHead: ({ sizeBytes: totalBytes }) => {
          file.begin(this.#options.receiveFirmware({ totalBytes, mostBytes: undefined, ordered: order }));
        },
        onBytes: (bytes) => {
          if (this.#record.order !== order)
            throw new Fault("superseded", "The hub has ordered other firmware");
          file.write(bytes);
        },
      };
      const fetching = files.fetch(order.downloadUrl, callbacks, order.downloadUrlSignature);
      // If an upload has ended the download, `keep` throws that error in place of the download's.
      await file.finish(await fetching.finally(() => uploads.keep()));
    } finally {
      file.abort();
      uploads.release();
    }
  }

  /** Marks the order as rejected, unless the hub has ordered other firmware meanwhile. */
  #reject(order: FirmwareOrder, error: unknown): void {
    const code = error instanceof Fault ? error.code : "internal_error";
    this.#options.logger.error(`firmware ${order.version} of the hub is refused: ${error}`);
    if (this.#record.order === order && this.#change(order, rejected(order, code))) this.#announce();
  }

  /** Stores and reports `after` if it differs. @returns whether it does */
  #change(before: FirmwareOrder, after: FirmwareOrder): boolean {
    if (before === after) return false;
    this.#record.write(after);
    this.#report(after);
    return true;
  }

  #announce(): void {
    const { order } = this.#record;
    this.#options.ota.announce(
      order?.state === "available" ? { version: order.version, download_url: order.downloadUrl } : undefined,
    );
    this.#options.onQuestions?.();
  }

  #report(order: FirmwareOrder): void {
    if (!this.#isClosed) this.#hub.report(resultOf(order));
  }
}

function ignore(): void {
  // `#supersede` has already reported it, whether or not the earlier order was being fetched.
}

function orderOf(command: FirmwareUpdate): FirmwareOrder {
  const { command_id = "", version, download_url, download_url_signature, signature } = command;
  const { size_bytes: sizeBytes, publisher } = command;
  return {
    commandId: command_id,
    version,
    downloadUrl: download_url,
    signature,
    ...(download_url_signature !== undefined && { downloadUrlSignature: download_url_signature }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...(publisher !== undefined && publisher.length <= PUBLISHER_LIMIT && { publisher }),
    state: "available",
    error: null,
  };
}

function questionOf({ commandId, version, sizeBytes, publisher }: FirmwareOrder): HubQuestion {
  return {
    id: questionId("firmware", commandId || undefined, version),
    kind: "firmware",
    version,
    ...(sizeBytes !== undefined && { size_bytes: sizeBytes }),
    ...(publisher !== undefined && { publisher }),
  };
}

function resultOf(order: FirmwareOrder): FirmwareResult {
  const { commandId, version, state, error } = order;
  return {
    type: "firmware.update.result",
    ...(commandId !== "" && { command_id: commandId }),
    version,
    state,
    success: isOver(order) ? state === "confirmed" : null,
    error,
  };
}

/** Whether the version is valid and the texts, with JSON around them, fit one setting. */
function canBeKept(order: FirmwareOrder): boolean {
  const { commandId, version, downloadUrl, downloadUrlSignature = "", signature } = order;
  const digits = Math.max(signature.length, downloadUrlSignature.length);
  return (
    parseVersion(version) !== undefined &&
    downloadUrl.length <= DOWNLOAD_URL_LIMIT &&
    Math.max(commandId.length, digits / 2) <= COMMAND_ID_LIMIT
  );
}
