/**
 * Whether an image may replace the running one, once it is known to be whole and signed
 * (docs/spec/firmware-bundles.md#check-order): its board, its version, the minimum security version
 * (docs/spec/keys.md#security-floor), and the keys that come with it or are revoked before it is confirmed.
 */

import { Fault } from "../../../protocol/fault.js";
import type { ImageHeader } from "../../../protocol/firmware/image-header.js";
import { hexadecimal } from "../../../protocol/hexadecimal.js";
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

// The minimum security version of firmware (docs/spec/keys.md#security-floor): that of the firmware that was confirmed
// last. Firmware on trial does not raise it, so that the previous firmware can come back.
//
// Records the version of staged firmware, since the program that runs then cannot see the header of its own image.

export class SecurityFloor {
  readonly #settings: Settings;
  readonly #firmware: Pick<FirmwareFacts, "version" | "securityVersion">;

  constructor(settings: Settings, firmware: Pick<FirmwareFacts, "version" | "securityVersion">) {
    this.#settings = settings;
    this.#firmware = firmware;
  }

  /** While no firmware is on trial. */
  get securityVersion(): number {
    return Math.max(
      numberIn(this.#settings.read(SECURITY_FLOOR_SETTING)),
      this.#firmware.securityVersion ?? 0,
    );
  }

  /** To be called before an image becomes what boots next. @throws {Fault} `storage_full` */
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

// Records who has signed what is staged or on trial, so that a key that is revoked before the confirmation takes its
// firmware with it (docs/spec/keys.md#revocations). Firmware staged by other firmware, without this note, has no
// signer.

export interface StagedNote {
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

  /** Of what was staged last. */
  get note(): StagedNote | undefined {
    const [version, publicKey] = this.#settings.read(STAGED_SIGNER_SETTING)?.split(" ", 2) ?? [];
    return version !== undefined && publicKey !== undefined ? { version, publicKey } : undefined;
  }

  /** To be called before an image becomes what boots next. @throws {Fault} `storage_full` */
  write(version: string, publicKey: Uint8Array): void {
    const note = `${version} ${hexadecimal(publicKey)}`;
    if (this.#settings.read(STAGED_SIGNER_SETTING) !== note)
      this.#settings.write(STAGED_SIGNER_SETTING, note);
  }

  /** Whether any list of revoked keys counts. */
  get mayBeRevoked(): boolean {
    return this.#trustedKeys.revocations.isThere;
  }

  /** Whether the list names the key that has signed this version, at once. @throws {Fault} where the list is damaged */
  isListed(version: string): boolean {
    const { note } = this;
    if (!this.mayBeRevoked || note?.version !== version) return false;
    const bytes = note.publicKey.match(/../g)?.map((digits) => Number.parseInt(digits, 16)) ?? [];
    return this.#trustedKeys.revocations.has(Uint8Array.from(bytes));
  }

  /** Whether the key may still sign firmware. @throws {Fault} as {@link TrustedKeysFile.find} */
  async isTrusted({ publicKey }: StagedNote): Promise<boolean> {
    const isIt = async (key: { readonly publicKey: Uint8Array }) => hexadecimal(key.publicKey) === publicKey;
    return (await this.#trustedKeys.find("firmware", isIt)) !== undefined;
  }
}

// The trusted keys that come with firmware (docs/spec/boot-and-slots.md#confirm-keys): written beside those of the
// previous firmware as soon as they may be needed, and moved over them in one step once the confirmation counts. The
// keys of firmware that a programmer has put into the flash count as soon as it runs, where there are none before them.

const DIRECTORY = TRUSTED_KEYS.slice(0, TRUSTED_KEYS.lastIndexOf("/"));
const NEXT = `${TRUSTED_KEYS}.new`;

export class ConfirmedKeys {
  readonly #files: Directory;
  readonly #pem: readonly string[] | undefined;

  /** @param pem in small pieces; left out by firmware that leaves the keys as they are */
  constructor(files: Directory, pem: readonly string[] | undefined) {
    this.#files = files;
    this.#pem = pem;
  }

  /** Whether there are no trusted keys yet, so that these would be the first. */
  get areFirst(): boolean {
    return this.#pem !== undefined && !statusOf(this.#files, TRUSTED_KEYS);
  }

  /**
   * Returns once the keys are safe; they count only after {@link apply}.
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

  /** After {@link prepare}, in the same run. @throws {Fault} `storage_full` */
  apply(): void {
    if (this.#pem !== undefined) this.#store(() => this.#files.move(NEXT, TRUSTED_KEYS));
  }

  /** Deletes what a confirmation that did not come about has left. */
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

/** What the console is and does. */
export interface Acceptor {
  readonly runningVersion: string;
  readonly board: string;
  readonly architecture: string;
  readonly allowsDowngrade: boolean;
  /** The minimum security version to accept, regardless of `allowsDowngrade`. */
  readonly floor: Pick<SecurityFloor, "securityVersion" | "note">;
}

/** The same version is taken too. @throws {Fault} `version_downgrade`, `wrong_board` */
export function requireAcceptable(image: ImageHeader, acceptor: Acceptor): void {
  const { runningVersion, board, architecture, allowsDowngrade, floor } = acceptor;
  if (image.securityVersion < floor.securityVersion)
    throw new Fault(
      "version_downgrade",
      `Cannot go back to firmware ${image.version} of security version ${image.securityVersion}: ${floor.securityVersion} was confirmed`,
    );
  if (!allowsDowngrade && compareVersions(image.version, runningVersion) < 0)
    throw new Fault(
      "version_downgrade",
      `Cannot go back from firmware ${runningVersion} to the older ${image.version}`,
    );
  if (image.board !== board || image.architecture !== architecture)
    throw new Fault(
      "wrong_board",
      `The firmware is for "${image.board}" (${image.architecture}), but this console is "${board}" (${architecture})`,
    );
}
