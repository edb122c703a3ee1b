/** Lets a file through whose signature holds under a trusted key (section 6 of the decisions). */
import { Fault } from "../../../protocol/fault.js";
import { SignatureCheck, type SignaturePorts } from "../../../protocol/signature/ed25519.js";
import { readSignature } from "../../../protocol/signature/signature-text.js";
import type { Logger } from "../logs/log.js";
import type { TrustedKeysFile } from "../trust/trusted-keys-file.js";
import type { Turns } from "../turns/turns.js";

export interface SignatureGateOptions extends SignaturePorts {
  readonly turns: Turns;
  readonly logger: Logger;
  readonly trustedKeys: TrustedKeysFile;
  /** Files without a signature are taken too (`CONFIG_SVC_ALLOW_UNSIGNED_APPS`). */
  readonly allowsUnsigned: boolean;
}

export class SignatureGate {
  readonly #options: SignatureGateOptions;

  constructor(options: SignatureGateOptions) {
    this.#options = options;
  }

  /**
   * Returns once the signature is known to hold.
   * @param digest the 32 bytes of the file's SHA-256, which are what is signed
   * @param text 128 hexadecimal digits, `undefined` where the file came without
   * @throws {Fault} `signature_missing`, `signature_invalid`
   */
  async require(digest: Uint8Array, text: string | undefined): Promise<void> {
    const { allowsUnsigned, logger } = this.#options;
    if (text === undefined && allowsUnsigned) return logger.warning("a file without a signature is taken");
    try {
      await this.#check(digest, readSignature(text));
    } catch (error) {
      if (error instanceof Fault) logger.error(`a file is refused: ${error.message}`);
      throw error;
    }
  }

  async #check(digest: Uint8Array, signature: Uint8Array): Promise<void> {
    const { Digest, ed25519, trustedKeys, turns } = this.#options;
    const holds = await trustedKeys.some(async (publicKey) => {
      await turns.next();
      const check = new SignatureCheck({ signature, publicKey, Digest, ed25519 });
      check.write(digest);
      return check.holds();
    });
    if (!holds)
      throw new Fault("signature_invalid", "The signature is not that of any trusted key over this file");
  }
}
