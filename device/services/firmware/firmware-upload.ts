/**
 * Firmware over HTTP and USB: `POST /upload`, chunks, and `/api/ota/…`. Answers once the bundle is staged.
 */

import { Fault } from "../../../protocol/fault.js";
import { BUNDLE_HEADER_BYTES, checkBundleStart } from "../../../protocol/firmware/bundle-header.js";
import type { Answer, Exchange, JsonAnswer } from "../api/request.js";
import type { UploadSink, UploadStart, UploadTarget } from "../upload/upload-phase.js";
import { asksForReboot, FirmwareReceiver, type FirmwareReceiverOptions } from "./firmware-receiver.js";
import type { FirmwareService } from "./firmware-service.js";

// Body of `POST /upload`: only a bundle, recognized by its first four bytes. The upload starts after those have
// arrived, so that any other body is rejected without disturbing other clients.

/** "AKFW" */
const MAGIC_BYTES = 4;

export class FlashBody implements Exchange {
  readonly #begin: () => Exchange;
  readonly #magic = new Uint8Array(MAGIC_BYTES);
  #length = 0;
  #body: Exchange | undefined;

  /** @param begin starts the upload of a whole file; its exceptions are the answer */
  constructor(begin: () => Exchange) {
    this.#begin = begin;
  }

  /** @throws {Fault} `media_type_unsupported`, or a fault of the upload */
  write(bytes: Uint8Array): void {
    const rest = this.#body ? bytes : this.#readMagic(bytes);
    if (rest.length > 0) this.#body?.write(rest);
  }

  end(): Answer | Promise<Answer> {
    if (!this.#body) throw unsupported();
    return this.#body.end();
  }

  abort(): void {
    this.#body?.abort();
  }

  /** @returns the bytes after the magic */
  #readMagic(bytes: Uint8Array): Uint8Array {
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
  return new Fault("media_type_unsupported", "Only firmware bundles are accepted here", options);
}

export class FirmwareUpload implements UploadTarget {
  readonly #options: FirmwareReceiverOptions;
  readonly #alwaysReboots: boolean;

  constructor(options: FirmwareReceiverOptions, { alwaysReboots }: { readonly alwaysReboots: boolean }) {
    this.#options = options;
    this.#alwaysReboots = alwaysReboots;
  }

  get limitBytes(): number {
    return BUNDLE_HEADER_BYTES + this.#options.service.imageLimitBytes;
  }

  /** @throws {Fault} `busy`, `confirm_pending`, `upload_busy`, `storage_full` */
  begin({ call, totalBytes, mostBytes }: UploadStart): UploadSink {
    const reboots = this.#alwaysReboots || asksForReboot(call);
    return new FirmwareReceiver(this.#options, { totalBytes, mostBytes, reboots });
  }
}

// `GET /api/ota/status` and `POST /api/ota/confirm`.

interface RequiredServices {
  readonly ota: FirmwareService;
}

export function showOtaStatus({ ota }: RequiredServices): JsonAnswer {
  return { status: 200, body: ota.status() };
}

/** @throws {Fault} `nothing_pending`, `storage_full` */
export function confirmFirmware({ ota }: RequiredServices): JsonAnswer {
  ota.confirm();
  return { status: 200, body: ota.status() };
}
