/**
 * Receives one firmware bundle from any source. Writes its image to the slot as it arrives, and at its end checks
 * signature, CRC-32 and image header before it may boot.
 */
import { Fault } from "../../../protocol/fault.js";
import { BundleReader } from "../../../protocol/firmware/bundle-reader.js";
import { imageInvalid } from "../../../protocol/firmware/image-header.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import type { Crc32Constructor, DigestConstructor, Ed25519 } from "../../../protocol/ports/crypto.js";
import type { Memory } from "../../../protocol/ports/runtime.js";
import type { FirmwareSlots, Updater } from "../../ports/firmware-slots.js";
import type { Call } from "../api/call.js";
import type { JsonAnswer } from "../api/request.js";
import { HEAP_NEEDS, type HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log-line.js";
import type { Restart } from "../restart/restart.js";
import type { Scheduler } from "../scheduler/scheduler.js";
import { storageFault } from "../storage/stored-files.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";
import type { UploadFacts, UploadSink } from "../upload/upload-phase.js";
import { type Acceptor, requireAcceptable, type StagedSigner } from "./acceptance.js";
import type { FirmwareService } from "./firmware-service.js";

export interface FirmwareReceiverOptions {
  readonly service: FirmwareService;
  readonly slots: Pick<FirmwareSlots, "readOther">;
  readonly memory: Memory;
  /** Promises memory to the update; left out: memory is unlimited. */
  readonly heap?: HeapAdmission | undefined;
  readonly acceptor: Acceptor;
  readonly trustedKeys: TrustedKeysFile;
  readonly signer: StagedSigner;
  readonly scheduler: Scheduler;
  readonly Digest: DigestConstructor;
  readonly ed25519: Ed25519;
  readonly Crc32: Crc32Constructor;
  readonly restart: Restart;
  readonly logger: Logger;
}

export interface BundleStart {
  /** Length of the bundle in bytes, if known beforehand. */
  readonly totalBytes: number | undefined;
  /** Upper limit of its length, if known beforehand. */
  readonly mostBytes: number | undefined;
  /** Whether its answer announces a restart, whatever the request at its end asks for. */
  readonly reboots?: boolean;
  /** Version and signature that the hub ordered; any other bundle is rejected. */
  readonly ordered?: OrderedFirmware;
}

export interface OrderedFirmware {
  readonly version: string;
  /** Signature of the bundle in hexadecimal. */
  readonly signature: string;
}

export class FirmwareReceiver implements UploadSink {
  readonly #options: FirmwareReceiverOptions;
  readonly #reader: BundleReader;
  readonly #reboots: boolean;
  readonly #ordered: OrderedFirmware | undefined;
  #updater: Updater | undefined;
  /** Version of the image, once it is verified. */
  #version: string | undefined;

  /** @throws {Fault} `busy`, `confirm_pending`, `upload_busy`, `storage_full`; then nothing has started */
  constructor(options: FirmwareReceiverOptions, start: BundleStart) {
    const { Crc32, Digest, ed25519, memory, service, slots, trustedKeys } = options;
    const { totalBytes, mostBytes, reboots = false, ordered } = start;
    this.#options = options;
    this.#reboots = reboots;
    this.#ordered = ordered;
    this.#reader = new BundleReader({
      Crc32,
      Digest,
      ed25519,
      mostBytes,
      exactBytes: totalBytes,
      imageLimitBytes: service.imageLimitBytes,
      openKeys: () => trustedKeys.openCandidates("firmware"),
      kept: { memory, read: (into, offset) => slots.readOther(into, offset) },
    });
    options.heap?.promise(HEAP_NEEDS.firmware);
    try {
      service.begin(totalBytes);
    } catch (error) {
      options.heap?.release(HEAP_NEEDS.firmware);
      throw error;
    }
  }

  /**
   * Receives the next bytes.
   * @param checksum their CRC-32, where it is known already
   * @throws {Fault} if the bundle is rejected; the caller then calls `abort`
   */
  write(bytes: Uint8Array, checksum?: number): void {
    try {
      const image = this.#reader.write(bytes, checksum);
      if (image.length > 0) this.#keep(image);
    } catch (error) {
      this.#note(error);
      throw error;
    }
    this.#options.service.receive(this.#reader.receivedBytes);
  }

  /** Stages the bundle. @throws {Fault} if it is rejected; the slot is then empty */
  async end({ call }: UploadFacts): Promise<JsonAnswer> {
    const { heap, restart, service } = this.#options;
    try {
      service.stage(await this.#finish());
    } catch (error) {
      this.#note(error);
      this.abort();
      throw error;
    }
    heap?.release(HEAP_NEEDS.firmware);
    const answer = { status: 200, body: service.status() };
    return this.#reboots || (call && asksForReboot(call)) ? restart.after(answer) : answer;
  }

  abort(): void {
    const { heap, logger, service } = this.#options;
    heap?.release(HEAP_NEEDS.firmware);
    this.#reader.close();
    try {
      this.#updater?.close();
    } catch (error) {
      // The record does not name the slot, so its content is meaningless.
      logger.error(`the slot could not be emptied: ${error}`);
    }
    service.abandon();
  }

  /** @returns the staged version */
  async #finish(): Promise<string> {
    const { acceptor, trustedKeys, scheduler } = this.#options;
    const signer: { publicKey?: Uint8Array } = {};
    const { image } = await this.#reader.end({
      pause: () => scheduler.yield(),
      isTrusted: async (publicKey) => {
        const trusted = await trustedKeys.find("firmware", async (key) => isEqual(key.publicKey, publicKey));
        if (trusted) signer.publicKey = trusted.publicKey;
        return trusted !== undefined;
      },
    });
    this.#version = image.version;
    this.#requireOrderedVersion(image.version);
    requireAcceptable(image, acceptor);
    if (this.#slot.isImage() === false) throw damaged();
    acceptor.floor.note(image);
    const { publicKey } = signer;
    const signature = this.#reader.header?.signature;
    if (publicKey) this.#options.signer.write(image.version, publicKey);
    try {
      // The reader provides both, or throws.
      this.#slot.complete(signature && publicKey && { signature, publicKey });
    } catch (error) {
      throw notStored(error);
    }
    this.#slot.close();
    return image.version;
  }

  #keep(image: Uint8Array): void {
    try {
      this.#slot.write(image);
    } catch (error) {
      throw notStored(error);
    }
  }

  /** Opened at the first byte of the image, after the header was accepted. */
  get #slot(): Updater {
    if (!this.#updater) {
      this.#requireOrderedSignature();
      this.#updater = this.#options.service.open(this.#reader.totalBytes ?? 0);
    }
    return this.#updater;
  }

  #requireOrderedSignature(): void {
    const { header } = this.#reader;
    if (!this.#ordered || !header) return;
    if (hexadecimal(header.signature) !== this.#ordered.signature.toLowerCase())
      throw new Fault("signature_invalid", "The bundle's signature differs from the ordered one");
  }

  #requireOrderedVersion(version: string): void {
    if (this.#ordered && version !== this.#ordered.version)
      throw new Fault(
        "download_mismatch",
        `The bundle is firmware ${version}, but the hub ordered ${this.#ordered.version}`,
      );
  }

  #note(error: unknown): void {
    if (error instanceof Fault) this.#options.service.reject(error, this.#version);
  }
}

export function asksForReboot({ parameters }: Call): boolean {
  return parameters.flag("reboot") === true;
}

function notStored(error: unknown): unknown {
  if (error instanceof Error && (error as { readonly code?: unknown }).code === "image_invalid")
    return damaged();
  return storageFault(error, "Cannot store the firmware");
}

function damaged(): Fault {
  return imageInvalid("its content does not have the checksum that is in it");
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
