/**
 * Accepts lists of revoked keys from every source: a request, the hub, or confirmed firmware
 * (docs/spec/keys.md#revocation-list). A list is in effect once all of it is on the medium; each has a higher number
 * than the one before it. Services read it for each use, so none has to be notified.
 *
 * A setting holds the number and the SHA-256 of the list in effect, so that damage to the list never brings an older
 * one back. It is written after the list, or at the next start if power failed between the two: so it is never ahead of
 * an undamaged list.
 */
import type { RevocationsAnswer } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import {
  REVOCATIONS_LIMIT_BYTES,
  type RevocationList,
  readRevocationList,
} from "../../../protocol/keys/revocation-list.js";
import type { TrustedKey } from "../../../protocol/keys/trusted-keys.js";
import type { Base64, Memory } from "../../../protocol/ports/runtime.js";
import { SignatureCheck, type SignaturePorts } from "../../../protocol/signature/ed25519.js";
import type { JsonAnswer } from "../api/request.js";
import type { Logger } from "../logs/log-line.js";
import { REVOCATIONS_SETTING, type Settings } from "../settings/settings.js";
import type { UploadSink, UploadStart, UploadTarget } from "../upload/upload-phase.js";
import type { OpenRevocations } from "./revocations-file.js";
import { isEqual, type TrustedKeysFile } from "./trusted-keys-file.js";

/**
 * How far a number may be above the one before it: one stolen key must not use up all numbers with one list
 * (docs/spec/keys.md#revocation-checks).
 */
const NUMBER_STEP_LIMIT = 65_536;

/** Number and SHA-256 of the list that was accepted last. */
const NOTE = /^([0-9]{1,10}) ([0-9a-f]{64})$/;

export interface RevocationsOptions extends SignaturePorts {
  readonly trustedKeys: TrustedKeysFile;
  readonly settings: Settings;
  readonly base64: Base64;
  readonly logger: Logger;
  /** Called when another list takes effect. */
  onChange(): void;
}

export class Revocations {
  readonly #options: RevocationsOptions;
  /** Settles with the list before: a key that it revokes must not sign the next one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: RevocationsOptions) {
    this.#options = options;
  }

  /** @throws {Fault} `signature_invalid` where the list is damaged */
  summary(): RevocationsAnswer {
    return this.#options.trustedKeys.revocations.read(summaryOf);
  }

  /**
   * Accepts a list, after earlier calls have settled. Accepting the same list again changes nothing.
   *
   * @param bytes left alone by the caller until this has settled
   * @param isOverCable over the cable, a newer list may replace a damaged one
   * @throws {Fault} `revocations_invalid` for another shape, a number too far up and for one that leaves no firmware
   *   key, `revocations_older`, `signature_invalid` where no trusted key of role firmware has signed it or the list
   *   before it is damaged, `storage_full`
   */
  async accept(bytes: Uint8Array, isOverCable = false): Promise<RevocationsAnswer> {
    const accepting = this.#last.then(() => this.#accept(readRevocationList(bytes), isOverCable));
    this.#last = accepting.catch(() => undefined); // reported to the client that sent it
    try {
      return await accepting;
    } catch (error) {
      if (error instanceof Fault && error.code === "signature_invalid")
        this.#options.logger.error(error.message);
      throw error;
    }
  }

  /**
   * Accepts the list that confirmed firmware carries, unless it is known. Logs errors. Called at each start, so that
   * the list takes effect even after a loss of power.
   *
   * @param text base64, in pieces
   */
  async offer(text: readonly string[] | undefined): Promise<void> {
    const { base64, logger } = this.#options;
    try {
      const known = this.#noteStored();
      if (text === undefined) return;
      const bytes = new Uint8Array(base64.decode(text.join("")));
      if (readRevocationList(bytes).number > known) await this.accept(bytes);
    } catch (error) {
      logger.error(`rejected the revocations of this firmware: ${error}`);
    }
  }

  async #accept(list: RevocationList, isOverCable: boolean): Promise<RevocationsAnswer> {
    const { logger, onChange, trustedKeys } = this.#options;
    const stored = this.#stored();
    try {
      if (stored === "lost") {
        if (this.#mends(list, isOverCable)) {
          trustedKeys.revocations.write(list.bytes);
          onChange();
          return summaryOf(list);
        }
      } else if (isKnown(list, stored?.list)) {
        this.#note(list);
        return summaryOf(list);
      }
      await this.#requireSigned(list, stored === "lost" ? undefined : stored?.list);
    } finally {
      if (stored !== "lost") stored?.close();
    }
    if (!(await trustedKeys.find("firmware", async () => true, list)))
      throw new Fault(
        "revocations_invalid",
        "Cannot accept the list of revoked keys: it would leave no trusted firmware key",
      );
    trustedKeys.revocations.write(list.bytes);
    logger.warning(`using list ${list.number} of revoked keys: ${list.count} are revoked`);
    onChange();
    this.#note(list);
    return summaryOf(list);
  }

  /**
   * Whether `list` is the lost list itself. Only the cable may replace the lost list by a newer one: while the revoked
   * keys are unknown, one of them may have signed the newer list.
   * @throws {Fault} `revocations_older`, `revocations_invalid`, `signature_invalid`
   */
  #mends(list: RevocationList, isOverCable: boolean): boolean {
    const noted = this.#noted();
    if (noted) {
      if (list.number === noted.number && this.#digestOf(list) === noted.digest) return true;
      requireNext(list, noted.number);
    }
    if (isOverCable) return false;
    throw new Fault(
      "signature_invalid",
      "The console's list of revoked keys is damaged: send the same list, or a newer one over USB",
    );
  }

  /** @param stored the list that counts up to now; without one no key is revoked */
  async #requireSigned(list: RevocationList, stored: RevocationList | undefined): Promise<void> {
    const isSigner = async ({ publicKey }: TrustedKey) => isEqual(publicKey, list.signer);
    const key = await this.#options.trustedKeys.find("firmware", isSigner, stored ?? null);
    if (key && this.#isSignedBy(key.publicKey, list)) return;
    throw new Fault("signature_invalid", "The list of revoked keys is not signed by a trusted firmware key");
  }

  #isSignedBy(publicKey: Uint8Array, { signature, signedBytes }: RevocationList): boolean {
    const { Digest, ed25519 } = this.#options;
    const check = new SignatureCheck({ signature, publicKey, Digest, ed25519 });
    check.write(signedBytes);
    return check.holds();
  }

  /** The stored list; "lost" if it is damaged, missing, or older than the list that was accepted last. */
  #stored(): OpenRevocations | "lost" | undefined {
    const { logger, trustedKeys } = this.#options;
    try {
      const stored = trustedKeys.revocations.open();
      if (stored ? this.#isWhole(stored.list) : !this.#noted()) return stored;
      stored?.close();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      logger.error(error.message);
    }
    return "lost";
  }

  /** Whether `list` is unchanged and the last one that was accepted. */
  #isWhole(list: RevocationList): boolean {
    const noted = this.#noted();
    if (noted?.number === list.number) return this.#digestOf(list) === noted.digest;
    // Power failed before the note was written.
    const isLater = list.number > (noted?.number ?? 0);
    return isLater && this.#options.ed25519.isPublicKey(list.signer) && this.#isSignedBy(list.signer, list);
  }

  /** @returns the number of the list that counts; 0 where there is none, or it is lost */
  #noteStored(): number {
    const stored = this.#stored();
    if (stored === undefined || stored === "lost") return 0;
    try {
      this.#note(stored.list);
      return stored.list.number;
    } finally {
      stored.close();
    }
  }

  /** @throws {Fault} `storage_full` */
  #note(list: RevocationList): void {
    if (this.#noted()?.number === list.number) return;
    this.#options.settings.write(REVOCATIONS_SETTING, `${list.number} ${this.#digestOf(list)}`);
  }

  #noted(): { readonly number: number; readonly digest: string } | undefined {
    const found = NOTE.exec(this.#options.settings.read(REVOCATIONS_SETTING) ?? "");
    return found ? { number: Number(found[1]), digest: found[2] as string } : undefined;
  }

  #digestOf({ bytes }: RevocationList): string {
    const digest = new this.#options.Digest("SHA256");
    digest.write(bytes);
    return hexadecimal(new Uint8Array(digest.close()));
  }
}

function summaryOf(list: RevocationList | undefined): RevocationsAnswer {
  return { number: list?.number ?? 0, revoked: list?.count ?? 0 };
}

/** Whether `list` is the stored one. @throws {Fault} `revocations_older`, `revocations_invalid` */
function isKnown(list: RevocationList, stored: RevocationList | undefined): boolean {
  if (stored && list.number === stored.number && isEqual(list.bytes, stored.bytes)) return true;
  requireNext(list, stored?.number ?? 0);
  return false;
}

/** @throws {Fault} `revocations_older`, `revocations_invalid` */
function requireNext({ number }: RevocationList, known: number): void {
  if (number <= known)
    throw new Fault(
      "revocations_older",
      `Cannot accept list ${number} of revoked keys: the console has list ${known}`,
    );
  if (number > known + NUMBER_STEP_LIMIT)
    throw new Fault(
      "revocations_invalid",
      `Cannot accept list ${number} of revoked keys: its number is more than ${NUMBER_STEP_LIMIT} above ${known}`,
    );
}

/** @throws {Fault} `signature_invalid` where the list is damaged */
export function showRevocations({ revocations }: { readonly revocations: Revocations }): JsonAnswer {
  return { status: 200, body: revocations.summary() };
}

export class RevocationsUpload implements UploadTarget {
  readonly limitBytes = REVOCATIONS_LIMIT_BYTES;
  readonly #revocations: Revocations;
  readonly #memory: Memory;

  constructor(revocations: Revocations, memory: Memory) {
    this.#revocations = revocations;
    this.#memory = memory;
  }

  begin({ call }: UploadStart): UploadSink {
    const block = this.#memory.allocate(REVOCATIONS_LIMIT_BYTES);
    let byteLength = 0;
    return {
      write: (bytes) => {
        block.bytes.set(bytes, byteLength); // uploads end what goes over the limit
        byteLength += bytes.length;
      },
      end: async () => {
        try {
          const isOverCable = call.request.transport === "usb";
          const list = block.bytes.subarray(0, byteLength);
          return { status: 200, body: await this.#revocations.accept(list, isOverCable) };
        } finally {
          block.close();
        }
      },
      abort: () => block.close(),
    };
  }
}
