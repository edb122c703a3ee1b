/**
 * Records who has signed what is staged or on trial, so that a key that is revoked before the confirmation takes its
 * firmware with it (docs/spec/keys.md#revocations). Firmware staged by other firmware, without this note, has no
 * signer.
 */
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import { STAGED_SIGNER_SETTING } from "../settings/paths.js";
import type { Settings } from "../settings/settings.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";

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
