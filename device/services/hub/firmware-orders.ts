/**
 * `firmware.update` (docs/spec/device-hub.md#firmware-update): announces what the hub orders, fetches it at once or on
 * a client's request, and reports each step to the hub, up to how its trial ends. `firmware-order.ts` decides; this
 * acts.
 */
import { Fault } from "../../../protocol/fault.js";
import type { FirmwareResult, FirmwareUpdate } from "../../../protocol/hub/push-messages.js";
import { parseVersion } from "../../../protocol/version.js";
import type { BundleStart, FirmwareReceiver } from "../firmware/firmware-receiver.js";
import type { FirmwareService } from "../firmware/firmware-service.js";
import type { Logger } from "../logs/log.js";
import type { Settings } from "../settings/settings.js";
import type { Uploads } from "../upload/uploads.js";
import type { Command, CommandQueue } from "./command-queue.js";
import type { FileSink, FileSource } from "./file-source.js";
import { FirmwareNote } from "./firmware-note.js";
import { type FirmwareOrder, followed, isOver, isSameOrder, rejected, resumed } from "./firmware-order.js";
import { COMMAND_ID_LIMIT, DOWNLOAD_URL_LIMIT } from "./limits.js";
import { isTransient } from "./transient-errors.js";

export interface FirmwareOrdersOptions {
  readonly settings: Settings;
  readonly ota: Pick<FirmwareService, "status" | "announce">;
  readonly uploads: Pick<Uploads, "hold" | "keep" | "release">;
  /** It is fetched as soon as it is there (`CONFIG_SVC_HUB_AUTO_UPDATE`). */
  readonly isAutomatic: boolean;
  readonly logger: Logger;
  receiveFirmware(start: BundleStart): FirmwareReceiver;
}

export interface FirmwareHub {
  readonly queue: Pick<CommandQueue, "add">;
  readonly files: Pick<FileSource, "fetch" | "close">;
  tell(result: FirmwareResult): void;
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
    if (before && isSameOrder(before, order)) this.#tell(before);
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
    this.#tell(begun);
  }

  /** Another order supersedes the last one, which was not over: report that now, and stop following it. */
  #supersede(): void {
    const { order } = this.#note;
    if (order && !isOver(order)) this.#tell(rejected(order, "superseded"));
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
    this.#tell(after);
    return true;
  }

  #announce(): void {
    const { order } = this.#note;
    this.#options.ota.announce(
      order?.state === "available" ? { version: order.version, download_url: order.downloadUrl } : undefined,
    );
  }

  #tell(order: FirmwareOrder): void {
    if (!this.#isClosed) this.#hub.tell(resultOf(order));
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
