/**
 * Firmware that arrives over HTTP or USB. It goes to its slot as it comes, and whether it may boot is known at
 * its end: signature, CRC-32, and what the image says of itself.
 */
import { Fault } from "../../../protocol/fault.js";
import { BUNDLE_HEADER_BYTES } from "../../../protocol/firmware/bundle-header.js";
import { BundleReader } from "../../../protocol/firmware/bundle-reader.js";
import type { Crc32Constructor, DigestConstructor } from "../../ports/digest.js";
import type { Ed25519 } from "../../ports/ed25519.js";
import type { FirmwareSlots, Updater } from "../../ports/firmware-slots.js";
import type { Memory } from "../../ports/memory.js";
import type { Call } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";
import type { Logger } from "../logs/log.js";
import type { Restart } from "../restart/restart.js";
import { storageFault } from "../storage/storage-fault.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";
import type { Turns } from "../turns/turns.js";
import type { UploadConsumer, UploadFacts, UploadStart, UploadTarget } from "../upload/upload-target.js";
import { type Acceptor, requireAcceptable } from "./acceptance.js";
import type { FirmwareService } from "./firmware-service.js";

export interface FirmwareUploadOptions {
  readonly service: FirmwareService;
  readonly slots: Pick<FirmwareSlots, "readOther">;
  readonly memory: Memory;
  readonly acceptor: Acceptor;
  readonly trustedKeys: TrustedKeysFile;
  readonly turns: Turns;
  readonly Digest: DigestConstructor;
  readonly ed25519: Ed25519;
  readonly Crc32: Crc32Constructor;
  readonly restart: Restart;
  readonly logger: Logger;
}

export class FirmwareUpload implements UploadTarget {
  readonly #options: FirmwareUploadOptions;
  readonly #alwaysReboots: boolean;

  constructor(options: FirmwareUploadOptions, { alwaysReboots }: { readonly alwaysReboots: boolean }) {
    this.#options = options;
    this.#alwaysReboots = alwaysReboots;
  }

  get limitBytes(): number {
    return BUNDLE_HEADER_BYTES + this.#options.service.imageLimitBytes;
  }

  /** @throws {Fault} `confirm_pending`, `upload_busy`, `storage_full` */
  begin(start: UploadStart): UploadConsumer {
    return new Reception(this.#options, start, this.#alwaysReboots);
  }
}

/** One bundle on its way. */
class Reception implements UploadConsumer {
  readonly #options: FirmwareUploadOptions;
  readonly #reader: BundleReader;
  readonly #reboots: boolean;
  #updater: Updater | undefined;
  /** Of the image, once it is known to be true. */
  #version: string | undefined;

  constructor(
    options: FirmwareUploadOptions,
    { call, totalBytes, mostBytes }: UploadStart,
    reboots: boolean,
  ) {
    const { Crc32, Digest, ed25519, memory, service, slots, trustedKeys } = options;
    this.#options = options;
    this.#reboots = reboots || asksForReboot(call);
    this.#reader = new BundleReader({
      ...{ Crc32, Digest, ed25519, mostBytes },
      exactBytes: totalBytes,
      imageLimitBytes: service.imageLimitBytes,
      openKeys: () => trustedKeys.openCandidates(),
      onImage: (bytes) => this.#keep(bytes),
      kept: { memory, read: (into, offset) => slots.readOther(into, offset) },
    });
    service.begin(totalBytes);
  }

  write(bytes: Uint8Array): void {
    try {
      this.#reader.write(bytes);
    } catch (error) {
      this.#note(error);
      throw error;
    }
    this.#options.service.receive(this.#reader.receivedBytes);
  }

  async complete({ call }: UploadFacts): Promise<JsonAnswer> {
    const { restart, service } = this.#options;
    try {
      service.stage(await this.#finish());
    } catch (error) {
      this.#note(error);
      this.abort();
      throw error;
    }
    const answer = { status: 200, body: service.status() };
    if (!this.#reboots && !asksForReboot(call)) return answer;
    return restart.after(answer);
  }

  abort(): void {
    const { logger, service } = this.#options;
    this.#reader.close();
    try {
      this.#updater?.close();
    } catch (error) {
      // The record does not name the slot, so what is in it is of no meaning.
      logger.error(`the slot could not be emptied: ${error}`);
    }
    service.abandon();
  }

  /** @returns the version of what is staged from then on */
  async #finish(): Promise<string> {
    const { acceptor, trustedKeys, turns } = this.#options;
    const { image } = await this.#reader.end({
      pause: () => turns.next(),
      isTrusted: (publicKey) => trustedKeys.some(async (trusted) => isEqual(trusted, publicKey)),
    });
    this.#version = image.version;
    requireAcceptable(image, acceptor);
    this.#write((updater) => updater.complete());
    this.#updater?.close();
    return image.version;
  }

  #keep(bytes: Uint8Array): void {
    this.#write((updater) => updater.write(bytes));
  }

  /** The slot is opened when the first byte of an image comes: the header has been accepted by then. */
  #write(use: (updater: Updater) => void): void {
    try {
      this.#updater ??= this.#options.service.open(this.#reader.totalBytes ?? 0);
      use(this.#updater);
    } catch (error) {
      throw storageFault(error, "Cannot keep the firmware");
    }
  }

  #note(error: unknown): void {
    if (error instanceof Fault) this.#options.service.reject(error, this.#version);
  }
}

function asksForReboot({ parameters }: Call): boolean {
  return parameters.flag("reboot") === true;
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
