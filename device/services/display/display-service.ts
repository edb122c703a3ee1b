/** Pictures of what the display shows, as PNG. */
import { Fault } from "../../../protocol/fault.js";
import type { Adler32Constructor, Crc32Constructor } from "../../ports/digest.js";
import type { Display, Snapshot } from "../../ports/display.js";
import type { ByteStream } from "../api/request.js";
import { PngEncoder } from "./png-encoder.js";

/**
 * Pictures under way at a time: one for either transport. Each takes 4 KiB of the management VM's heap, and a
 * copy of the whole display elsewhere, for as long as its reader likes.
 */
const PICTURE_LIMIT = 2;
const RETRY_AFTER_S = 1;

export interface DisplayServiceOptions {
  readonly display: Display;
  readonly Crc32: Crc32Constructor;
  readonly Adler32: Adler32Constructor;
}

export class DisplayService {
  readonly #options: DisplayServiceOptions;
  #pictures = 0;

  constructor(options: DisplayServiceOptions) {
    this.#options = options;
  }

  /**
   * What is shown now, whatever is drawn while it is read.
   * @throws {Fault} `busy` while others read as many pictures as there may be
   */
  picture(): ByteStream {
    if (this.#pictures === PICTURE_LIMIT)
      throw new Fault("busy", `Cannot send more than ${PICTURE_LIMIT} pictures of the display at a time`, {
        details: { retry_after_s: RETRY_AFTER_S },
      });
    const snapshot = this.#snapshot();
    this.#pictures++;
    return new PictureStream(this.#options, snapshot, () => void this.#pictures--);
  }

  #snapshot(): Snapshot {
    try {
      return this.#options.display.snapshot();
    } catch (cause) {
      throw new Fault("out_of_memory", "There is no memory for a copy of the display", { cause });
    }
  }
}

class PictureStream implements ByteStream {
  readonly #encoder: PngEncoder;
  readonly #snapshot: Snapshot;
  readonly #onClose: () => void;

  constructor({ display, Crc32, Adler32 }: DisplayServiceOptions, snapshot: Snapshot, onClose: () => void) {
    const { width, height } = display;
    this.#encoder = new PngEncoder({ width, height, picture: snapshot, Crc32, Adler32 });
    this.#snapshot = snapshot;
    this.#onClose = onClose;
  }

  next(): Uint8Array | undefined {
    return this.#encoder.next();
  }

  close(): void {
    this.#snapshot.close();
    this.#onClose();
  }
}
