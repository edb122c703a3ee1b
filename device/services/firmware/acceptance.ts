/**
 * Decides whether a complete and signed image may replace the running one (docs/spec/firmware-bundles.md#check-order),
 * by its board, version and minimum security version (docs/spec/keys.md#security-floor). Stores what its confirmation
 * needs:
 * its signer, which may be revoked before, and its trusted keys.
 */

import { Fault } from "../../../protocol/fault.js";
import type { ImageHeader } from "../../../protocol/firmware/image-header.js";
import { hexadecimal, readHexadecimal } from "../../../protocol/hexadecimal.js";
import { compareVersions } from "../../../protocol/version.js";
import type { Directory } from "../../ports/files.js";
import {
  SECURITY_FLOOR_SETTING,
  type Settings,
  STAGED_SECURITY_SETTING,
  STAGED_SIGNER_SETTING,
} from "../settings/settings.js";
import { makeDirectories, statusOf, storageFault, writeFile } from "../storage/stored-files.js";
import { TRUSTED_KEYS, type TrustedKeysFile } from "../trust/trusted-keys-file.js";
import type { FirmwareFacts } from "./firmware-facts.js";

// The minimum security version of firmware (docs/spec/keys.md#security-floor): that of the firmware confirmed last.
// Firmware on trial does not raise it, so that a rollback remains possible.
//
// Records the version of staged firmware, since running firmware cannot read the header of its own image.

export class SecurityFloor {
  readonly #settings: Settings;
  readonly #firmware: Pick<FirmwareFacts, "version" | "securityVersion">;

  constructor(settings: Settings, firmware: Pick<FirmwareFacts, "version" | "securityVersion">) {
    this.#settings = settings;
    this.#firmware = firmware;
  }

  /** The minimum, while no firmware is on trial. */
  get securityVersion(): number {
    return Math.max(
      numberIn(this.#settings.read(SECURITY_FLOOR_SETTING)),
      this.#firmware.securityVersion ?? 0,
    );
  }

  /** Records the staged image; called before it becomes bootable. @throws {Fault} `storage_full` */
  note({ version, securityVersion }: { readonly version: string; readonly securityVersion: number }): void {
    const note = `${version} ${securityVersion}`;
    const before = this.#settings.read(STAGED_SECURITY_SETTING);
    if (before === note || (before === undefined && securityVersion === 0)) return;
    this.#settings.write(STAGED_SECURITY_SETTING, note);
  }

  /** The running firmware is confirmed. @throws {Fault} `storage_full` */
  raise(): void {
    const [version, noted] = this.#settings.read(STAGED_SECURITY_SETTING)?.split(" ", 2) ?? [];
    const own = version === this.#firmware.version ? numberIn(noted) : 0;
    const floor = Math.max(own, this.securityVersion);
    if (floor > numberIn(this.#settings.read(SECURITY_FLOOR_SETTING)))
      this.#settings.write(SECURITY_FLOOR_SETTING, `${floor}`);
  }
}

function numberIn(text: string | undefined): number {
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}

// Records the key that signed the staged firmware or the firmware on trial, so that it is rejected if the key is
// revoked before the confirmation (docs/spec/keys.md#revocations).

export interface StagedRecord {
  readonly version: string;
  /** 64 hexadecimal digits. */
  readonly publicKey: string;
}

export class StagedSigner {
  readonly #settings: Settings;
  readonly #trustedKeys: TrustedKeysFile;

  constructor(settings: Settings, trustedKeys: TrustedKeysFile) {
    this.#settings = settings;
    this.#trustedKeys = trustedKeys;
  }

  /** The record of the firmware staged last. */
  get record(): StagedRecord | undefined {
    const [version, publicKey] = this.#settings.read(STAGED_SIGNER_SETTING)?.split(" ", 2) ?? [];
    return version !== undefined && publicKey !== undefined ? { version, publicKey } : undefined;
  }

  /** Called before an image becomes bootable. @throws {Fault} `storage_full` */
  write(version: string, publicKey: Uint8Array): void {
    const record = `${version} ${hexadecimal(publicKey)}`;
    if (this.#settings.read(STAGED_SIGNER_SETTING) !== record)
      this.#settings.write(STAGED_SIGNER_SETTING, record);
  }

  /** Whether there is a revocation list. */
  get mayBeRevoked(): boolean {
    return this.#trustedKeys.revocations.isThere;
  }

  /** Whether the list contains the key that signed this version; synchronous. @throws {Fault} if the list is damaged */
  isListed(version: string): boolean {
    const { record } = this;
    if (!this.mayBeRevoked || record?.version !== version) return false;
    const publicKey = readHexadecimal(record.publicKey);
    return publicKey !== undefined && this.#trustedKeys.revocations.has(publicKey);
  }

  /** Whether the key may still sign firmware. @throws {Fault} as {@link TrustedKeysFile.find} */
  async isTrusted({ publicKey }: StagedRecord): Promise<boolean> {
    const isIt = async (key: { readonly publicKey: Uint8Array }) => hexadecimal(key.publicKey) === publicKey;
    return (await this.#trustedKeys.find("firmware", isIt)) !== undefined;
  }
}

// The trusted keys that firmware contains (docs/spec/boot-and-slots.md#confirm-keys): written beside those of the
// previous firmware before a confirmation, and atomically moved over them after it. The keys of firmware that was
// flashed by cable are trusted from its first start if there are no others.

const DIRECTORY = TRUSTED_KEYS.slice(0, TRUSTED_KEYS.lastIndexOf("/"));
const NEXT = `${TRUSTED_KEYS}.new`;

export class ConfirmedKeys {
  readonly #files: Directory;
  readonly #pem: readonly string[] | undefined;

  /** @param pem in small pieces; left out by firmware that does not change the keys */
  constructor(files: Directory, pem: readonly string[] | undefined) {
    this.#files = files;
    this.#pem = pem;
  }

  /** Whether there are no trusted keys yet; an empty file is what a power cut can leave. */
  get areFirst(): boolean {
    return this.#pem !== undefined && !statusOf(this.#files, TRUSTED_KEYS)?.size;
  }

  /**
   * Stores the keys; they are trusted only after {@link apply}.
   * @throws {Fault} `storage_full`
   */
  prepare(): void {
    const pem = this.#pem;
    if (pem === undefined) return;
    this.#store(() => {
      makeDirectories(this.#files, DIRECTORY);
      const encoder = new TextEncoder();
      writeFile(this.#files, NEXT, (file) => {
        for (const piece of pem) file.write(encoder.encode(piece));
      });
    });
  }

  /** Trusts the stored keys; called after {@link prepare} in the same run. @throws {Fault} `storage_full` */
  apply(): void {
    if (this.#pem !== undefined) this.#store(() => this.#files.move(NEXT, TRUSTED_KEYS));
  }

  /** Deletes the keys that an interrupted confirmation has left. */
  discard(): void {
    if (statusOf(this.#files, NEXT)) this.#files.delete(NEXT);
  }

  #store(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw storageFault(error, "Cannot store the keys of this firmware");
    }
  }
}

/** The facts about the console that decide. */
export interface Acceptor {
  readonly runningVersion: string;
  readonly board: string;
  readonly architecture: string;
  readonly allowsDowngrade: boolean;
  /** The minimum security version to accept, regardless of `allowsDowngrade`. */
  readonly floor: Pick<SecurityFloor, "securityVersion" | "note">;
}

/** Accepts the same version too. @throws {Fault} `version_downgrade`, `wrong_board` */
export function requireAcceptable(image: ImageHeader, acceptor: Acceptor): void {
  const { runningVersion, board, architecture, allowsDowngrade, floor } = acceptor;
  if (image.securityVersion < floor.securityVersion)
    throw new Fault(
      "version_downgrade",
      `Cannot install firmware ${image.version} of security version ${image.securityVersion}: the minimum is ${floor.securityVersion}`,
    );
  if (!allowsDowngrade && compareVersions(image.version, runningVersion) < 0)
    throw new Fault("version_downgrade", `Cannot downgrade firmware ${runningVersion} to ${image.version}`);
  if (image.board !== board || image.architecture !== architecture)
    throw new Fault(
      "wrong_board",
      `The firmware is for "${image.board}" (${image.architecture}), but this console is "${board}" (${architecture})`,
    );
}
