/**
 * Snapshots of the display, as PNG. Limits how many are in progress, because each holds a copy of the display. A reader
 * that stalls or has silently disconnected does not block others: its snapshot is closed when another client requests
 * one.
 */

import { Fault } from "../../../protocol/fault.js";
import type { Adler32Constructor, Crc32Constructor } from "../../../protocol/ports/crypto.js";
import type { Clock } from "../../../protocol/ports/runtime.js";
import type { Buttons, Display, Snapshot } from "../../ports/display.js";
import { BUTTONS } from "../../wasm/abi.js";
import type { Call } from "../api/call.js";
import type { ByteStream, JsonAnswer, StreamedAnswer } from "../api/request.js";
import type { Config } from "../config/options.js";
import type { OwnerKeys } from "../trust/owner-keys.js";
import { PngEncoder } from "./png-encoder.js";

/**
 * Snapshots in progress at a time: one for each transport. Each takes 4 KiB of the management VM's heap, and a copy of
 * the whole display outside it (docs/spec/display-and-input.md#screen-limit).
 */
const SNAPSHOT_LIMIT = 2;
/** A reader that has read nothing for this time loses its snapshot to another client. */
const STALL_MS = 1000;
const RETRY_AFTER_S = 1;

interface DisplayServiceOptions {
  readonly display: Display;
  readonly clock: Clock;
  readonly Crc32: Crc32Constructor;
  readonly Adler32: Adler32Constructor;
}

export class DisplayService {
  readonly #options: DisplayServiceOptions;
  readonly #pictures = new Set<SnapshotStream>();

  constructor(options: DisplayServiceOptions) {
    this.#options = options;
  }

  /**
   * Takes a snapshot of the display, unaffected by later drawing.
   * @param seesAll whether the asker sees what an app conceals
   * @param isOwner whether the console's owner asks, for whom a stranger's snapshot is closed
   * @throws {Fault} `busy` while the most snapshots are being read; `out_of_memory`
   */
  picture(seesAll: boolean, isOwner: boolean): ByteStream {
    if (this.#pictures.size === SNAPSHOT_LIMIT) this.#closeStalled(isOwner);
    const picture = new SnapshotStream(this.#options, this.#snapshot(seesAll), isOwner, () =>
      this.#pictures.delete(picture),
    );
    this.#pictures.add(picture);
    return picture;
  }

  #closeStalled(isOwner: boolean): void {
    const stalledSinceMs = this.#options.clock.uptimeMs() - STALL_MS;
    const pictures = [...this.#pictures];
    const stalled =
      pictures.find(({ lastReadMs }) => lastReadMs <= stalledSinceMs) ??
      (isOwner ? pictures.find((picture) => !picture.isOwners) : undefined);
    if (!stalled)
      throw new Fault("busy", `Cannot send more than ${SNAPSHOT_LIMIT} snapshots of the display at a time`, {
        details: { retry_after_s: RETRY_AFTER_S },
      });
    stalled.close();
  }

  #snapshot(seesAll: boolean): Snapshot {
    try {
      return this.#options.display.snapshot(seesAll);
    } catch (cause) {
      throw new Fault("out_of_memory", "Not enough memory for a copy of the display", { cause });
    }
  }
}

class SnapshotStream implements ByteStream {
  readonly #encoder: PngEncoder;
  readonly #snapshot: Snapshot;
  readonly #clock: Clock;
  readonly #onClose: () => void;
  /** Whether the console's owner reads it. */
  readonly isOwners: boolean;
  #isClosed = false;
  /** When the reader last requested bytes. */
  lastReadMs: number;

  constructor(options: DisplayServiceOptions, picture: Snapshot, isOwners: boolean, onClose: () => void) {
    const { clock, display, Crc32, Adler32 } = options;
    const { width, height } = display;
    this.#encoder = new PngEncoder({ width, height, picture, Crc32, Adler32 });
    this.#snapshot = picture;
    this.#clock = clock;
    this.#onClose = onClose;
    this.isOwners = isOwners;
    this.lastReadMs = clock.uptimeMs();
  }

  /** @throws {Fault} `busy` once the snapshot was closed for another reader */
  next(): Uint8Array | undefined {
    if (this.#isClosed)
      throw new Fault("busy", "The snapshot was not read in time, and other clients are waiting");
    this.lastReadMs = this.#clock.uptimeMs();
    return this.#encoder.next();
  }

  /** May be called twice, by the service and by the transport. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#snapshot.close();
    this.#onClose();
  }
}

// `GET /api/screen` and `POST /api/buttons`.

const EVERY_BUTTON = (1 << BUTTONS.length) - 1;

interface ScreenServices {
  readonly display: DisplayService;
  readonly config: Pick<Config, "CONFIG_SVC_HOME_REMOTE">;
}

/**
 * Whoever may press the home screen's buttons sees all of it (docs/spec/display-and-input.md#concealed).
 * @throws {Fault} `busy` or `out_of_memory`
 */
export function showScreen({ display, config }: ScreenServices, { request }: Call): StreamedAnswer {
  const { isOwner } = request;
  const stream = display.picture(config.CONFIG_SVC_HOME_REMOTE || isOwner, isOwner);
  return { status: 200, mediaType: "image/png", field: "png", stream };
}

interface ButtonServices {
  readonly buttons: Buttons;
  readonly ownerKeys: Pick<OwnerKeys, "questions">;
  readonly config: Pick<Config, "CONFIG_SVC_HOME_REMOTE">;
}

/**
 * The home screen has the owner's rights, so it sees the buttons that the owner presses (docs/spec/home.md#owner); none of
 * the network while it asks about a key.
 * @throws {Fault} `bad_parameter` for bits without a button
 */
export function pressButtons(
  { buttons, config, ownerKeys }: ButtonServices,
  { request, parameters }: Call,
): JsonAnswer {
  const pressed = parameters.integer("pressed") ?? 0;
  if (pressed > EVERY_BUTTON)
    throw new Fault(
      "bad_parameter",
      `Parameter "pressed" takes ${BUTTONS.length} bits, 0 to ${EVERY_BUTTON}`,
    );
  const isHeld = request.transport === "http" && ownerKeys.questions.length > 0;
  buttons.press(pressed, !isHeld && (config.CONFIG_SVC_HOME_REMOTE || request.isOwner));
  return { status: 200, body: { pressed } };
}
