/**
 * Body of `POST /upload`: a bundle, recognized by its first four bytes, and nothing else. An upload begins only once
 * those have arrived, so that a body that is no firmware is refused as that, and disturbs no other client.
 */
import { Fault } from "../../../protocol/fault.js";
import { checkBundleStart } from "../../../protocol/firmware/bundle-header.js";
import type { BodyReceiver } from "../api/endpoint.js";
import type { Answer } from "../api/request.js";

/** "AKFW" */
const MAGIC_BYTES = 4;

export class FlashBody implements BodyReceiver {
  readonly #begin: () => BodyReceiver;
  readonly #magic = new Uint8Array(MAGIC_BYTES);
  #length = 0;
  #body: BodyReceiver | undefined;

  /** @param begin the upload of a whole file; what it throws is the answer */
  constructor(begin: () => BodyReceiver) {
    this.#begin = begin;
  }

  /** @throws {Fault} `media_type_unsupported`, and what the upload throws */
  write(bytes: Uint8Array): void {
    const rest = this.#body ? bytes : this.#takeMagic(bytes);
    if (rest.length > 0) this.#body?.write(rest);
  }

  end(): Answer | Promise<Answer> {
    if (!this.#body) throw unsupported();
    return this.#body.end();
  }

  abort(): void {
    this.#body?.abort();
  }

  /** @returns what comes after the magic */
  #takeMagic(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, MAGIC_BYTES - this.#length);
    this.#magic.set(taken, this.#length);
    this.#length += taken.length;
    requireMagic(this.#magic.subarray(0, this.#length));
    if (this.#length === MAGIC_BYTES) {
      this.#body = this.#begin();
      this.#body.write(this.#magic);
    }
    return bytes.subarray(taken.length);
  }
}

function requireMagic(bytes: Uint8Array): void {
  try {
    checkBundleStart(bytes);
  } catch (cause) {
    throw unsupported({ cause });
  }
}

function unsupported(options?: ErrorOptions): Fault {
  return new Fault("media_type_unsupported", "Only firmware bundles are taken here", options);
}
