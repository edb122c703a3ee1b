/**
 * `firmware.update` (docs/spec/device-hub.md#firmware-update): announces what the hub orders, fetches it at once or on
 * a client's request, and reports each step to the hub, up to how its trial ends. What decides
 * comes first and has no effects; `FirmwareOrders` acts.
 */

import type { LastResult, OtaStatus } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import type {
  FirmwareProgress,
  FirmwareResult,
  FirmwareUpdate,
} from "../../../protocol/hub/push-messages.js";
import { type Json, parseJson } from "../../../protocol/json.js";
import { parseVersion } from "../../../protocol/version.js";
import type { BundleStart, FirmwareReceiver } from "../firmware/firmware-receiver.js";
import type { FirmwareService } from "../firmware/firmware-service.js";
import type { Logger } from "../logs/log-line.js";
import { HUB_FIRMWARE_SETTING, type Settings } from "../settings/settings.js";
import type { Uploads } from "../upload/uploads.js";
import { type Command, type CommandQueue, isTransient } from "./command-queue.js";
import type { FileSink, FileSource } from "./file-source.js";

/** Ids are UUIDs. A longer one may be an attacker's, and would fill the setting that the results are in. */
export const COMMAND_ID_LIMIT = 64;

/** A setting has 3999 bytes (`ports/key-value.ts`), and the note of a firmware command has to fit. */
const DOWNLOAD_URL_LIMIT = 2048;

// The firmware that the hub has ordered last, kept over restarts in one setting.

const NAMES: readonly string[] = Object.freeze([
  "commandId",
  "version",
  "downloadUrl",
  "downloadUrlSignature",
  "signature",
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

class FirmwareNote {
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

  /** Counts in this run, and in later ones. Logs a failure to write it. */
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

/** @throws {TypeError} unless it is one */
function storedOrder(json: Json): FirmwareOrder {
  const members = Object(json) as Record<string, unknown>;
  const { commandId, version, downloadUrl, downloadUrlSignature, signature, state, error } = members;
  const texts = [commandId, version, downloadUrl, signature, state];
  const isOrder = texts.every((text) => typeof text === "string") && STATES.includes(state as string);
  if (!isOrder || (error !== null && typeof error !== "string")) throw new TypeError("it is damaged");
  const order = { commandId, version, downloadUrl, signature, state, error };
  return (
    typeof downloadUrlSignature === "string" ? { ...order, downloadUrlSignature } : order
  ) as FirmwareOrder;
}

// Progress of the firmware that the hub has ordered (`FirmwareProgress`), as far as one console can tell from its own
// updates, whatever client caused them. Nothing here has an effect: `FirmwareOrders` acts.
//
//                 fetched, or brought        restart                  confirm
//     available --------------------> staged ------> pending_confirm ---------> confirmed
//       |    ^                          |  \               |
//       |    `--------------------------'   `--------------'----> rolled_back
//       |         other firmware comes           next start
//       `--> rejected
//
// The three final states are kept until other firmware is ordered, for a hub that asks again. Firmware that is already
// running, and confirmed, is `confirmed` whatever the state was before.

interface FirmwareOrder {
  /** `""` from hubs that give none. */
  readonly commandId: string;
  readonly version: string;
  readonly downloadUrl: string;
  /** Of a trusted hub over the address, where it came with one. */
  readonly downloadUrlSignature?: string;
  /** Of the bundle, in hexadecimal. */
  readonly signature: string;
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

/** Whether it is one order that came twice. */
function isSameOrder(one: FirmwareOrder, other: FirmwareOrder): boolean {
  return (
    one.commandId === other.commandId &&
    one.version === other.version &&
    (one.commandId !== "" || one.signature === other.signature)
  );
}

/** What the console says of its updates now. */
type UpdateFacts = Pick<OtaStatus, "state" | "staged_version" | "running_version" | "last_result">;

/** At any time but a start. @returns `order` itself where nothing has changed */
function followed(order: FirmwareOrder, facts: UpdateFacts): FirmwareOrder {
  if (isOver(order)) return order;
  return withState(order, progressOf(order, facts));
}

/** At a start, which is when it is known how a trial has ended. */
function resumed(order: FirmwareOrder, facts: UpdateFacts): FirmwareOrder {
  const wasTried = order.state === "staged" || order.state === "pending_confirm";
  const { last_result: last } = facts;
  if (wasTried && last && isRollbackOf(order, last) && progressOf(order, facts) === "available")
    return { ...order, state: "rolled_back", error: last.error ?? null };
  return followed(order, facts);
}

/** The bundle was refused, or never was what it was said to be. */
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

/** A damaged image has no version to tell. */
function isRollbackOf({ version }: FirmwareOrder, last: LastResult): boolean {
  return last.result === "rolled_back" && (last.version ?? version) === version;
}

export interface FirmwareOrdersOptions {
  readonly settings: Settings;
  readonly ota: Pick<FirmwareService, "status" | "announce">;
  readonly uploads: Pick<Uploads, "hold" | "keep" | "release">;
  /** It is fetched as soon as it is there (`CONFIG_SVC_HUB_AUTO_UPDATE`). */
  readonly isAutomatic: boolean;
  readonly logger: Logger;
  receiveFirmware(start: BundleStart): FirmwareReceiver;
}

interface FirmwareHub {
  readonly queue: Pick<CommandQueue, "add">;
  readonly files: Pick<FileSource, "fetch" | "close">;
  report(result: FirmwareResult): void;
}

/** No app has this name. */
const SUBJECT = "the firmware";

export class FirmwareOrders {
  readonly #options: FirmwareOrdersOptions;
  readonly #hub: FirmwareHub;
  readonly #note: FirmwareNote;
  #isClosed = false;

  constructor(options: FirmwareOrdersOptions, hub: FirmwareHub) {
    this.#options = options;
    this.#hub = hub;
    this.#note = new FirmwareNote(options.settings, options.logger);
    const { order } = this.#note;
    if (!order) return;
    this.#change(order, resumed(order, options.ota.status()));
    this.#announce();
    if (options.isAutomatic) this.apply();
  }

  /** The hub orders firmware, or has no report yet of how its order has ended. */
  accept(command: FirmwareUpdate): void {
    const before = this.#note.order;
    const order = orderOf(command);
    if (before && isSameOrder(before, order)) this.#report(before);
    else this.#begin(order);
    if (this.#options.isAutomatic) this.apply();
  }

  /** The console's update has changed. */
  followUpdate(): void {
    const { order } = this.#note;
    if (this.#isClosed || !order || isOver(order)) return;
    if (this.#change(order, followed(order, this.#options.ota.status()))) this.#announce();
  }

  /**
   * Fetches what is available and stages it; nothing is begun inside.
   * @returns its version, `undefined` where nothing is available
   */
  apply(): string | undefined {
    const { order } = this.#note;
    if (order?.state !== "available") return undefined;
    this.#hub.queue.add(this.#fetching(order));
    return order.version;
  }

  /** The hub is another from now on: announce and report nothing. */
  close(): void {
    this.#isClosed = true;
    this.#options.ota.announce(undefined);
  }

  #begin(order: FirmwareOrder): void {
    const isKept = canBeKept(order);
    const begun = isKept ? followed(order, this.#options.ota.status()) : rejected(order, "bad_parameter");
    if (isKept) {
      this.#supersede();
      this.#note.write(begun);
    }
    this.#announce();
    this.#report(begun);
  }

  /** Another order supersedes the last one, which was not over: report that now, and stop following it. */
  #supersede(): void {
    const { order } = this.#note;
    if (order && !isOver(order)) this.#report(rejected(order, "superseded"));
  }

  #fetching(order: FirmwareOrder): Command {
    const id = `${order.version} ${order.commandId}`;
    // Its texts are in the note, whether or not it waits.
    return {
      id,
      subject: SUBJECT,
      characters: 0,
      run: (tries) => this.#fetch(order, tries),
      supersede: ignore,
    };
  }

  async #fetch(order: FirmwareOrder, tries: number): Promise<void> {
    if (this.#note.order !== order) return;
    try {
      await this.#receive(order);
    } catch (error) {
      if (this.#isClosed || isTransient(error, tries)) throw error;
      this.#reject(order, error);
    }
  }

  /** As `Uploads` does it with what arrives in a request. */
  async #receive(order: FirmwareOrder): Promise<void> {
    const { uploads } = this.#options;
    let coming: FirmwareReceiver | undefined;
    const abort = () => {
      coming?.abort();
      coming = undefined;
    };
    uploads.hold(() => {
      abort();
      this.#hub.files.close();
    });
    try {
      const sink: FileSink = {
        onHead: ({ sizeBytes: totalBytes }) => {
          coming = this.#options.receiveFirmware({ totalBytes, mostBytes: undefined, ordered: order });
        },
        onBytes: (bytes) => {
          if (this.#note.order !== order) throw new Fault("superseded", "The hub has ordered other firmware");
          coming?.write(bytes);
        },
      };
      const fetching = this.#hub.files.fetch(order.downloadUrl, sink, order.downloadUrlSignature);
      // Where an upload over the cable has ended it, that is the error.
      await fetching.finally(() => uploads.keep());
      const reception = coming;
      coming = undefined;
      await reception?.complete();
    } finally {
      abort();
      uploads.release();
    }
  }

  /** Unless another has been ordered meanwhile. */
  #reject(order: FirmwareOrder, error: unknown): void {
    const code = error instanceof Fault ? error.code : "internal_error";
    this.#options.logger.error(`firmware ${order.version} of the hub is refused: ${error}`);
    if (this.#note.order === order && this.#change(order, rejected(order, code))) this.#announce();
  }

  /** @returns whether that is a change, which is stored and reported */
  #change(before: FirmwareOrder, after: FirmwareOrder): boolean {
    if (before === after) return false;
    this.#note.write(after);
    this.#report(after);
    return true;
  }

  #announce(): void {
    const { order } = this.#note;
    this.#options.ota.announce(
      order?.state === "available" ? { version: order.version, download_url: order.downloadUrl } : undefined,
    );
  }

  #report(order: FirmwareOrder): void {
    if (!this.#isClosed) this.#hub.report(resultOf(order));
  }
}

function ignore(): void {
  // Report to the hub when the order comes, whether or not the one before is being fetched.
}

function orderOf(command: FirmwareUpdate): FirmwareOrder {
  const { command_id = "", version, download_url, download_url_signature, signature } = command;
  return {
    ...{ commandId: command_id, version, downloadUrl: download_url, signature },
    ...(download_url_signature !== undefined && { downloadUrlSignature: download_url_signature }),
    ...{ state: "available", error: null },
  };
}

function resultOf(order: FirmwareOrder): FirmwareResult {
  const { commandId, version, state, error } = order;
  return {
    type: "firmware.update.result",
    ...(commandId !== "" && { command_id: commandId }),
    ...{ version, state, success: isOver(order) ? state === "confirmed" : null, error },
  };
}

/** In one setting, with room for what is between them. */
function canBeKept(order: FirmwareOrder): boolean {
  const { commandId, version, downloadUrl, downloadUrlSignature = "", signature } = order;
  const digits = Math.max(signature.length, downloadUrlSignature.length);
  return (
    parseVersion(version) !== undefined &&
    downloadUrl.length <= DOWNLOAD_URL_LIMIT &&
    Math.max(commandId.length, digits / 2) <= COMMAND_ID_LIMIT
  );
}
