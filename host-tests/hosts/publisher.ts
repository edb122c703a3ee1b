/**
 * A key pair that signs apps and firmware, and can be made trusted by a console
 * (docs/spec/app-packages.md#signature-form).
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type PublisherTexts, successionText, voucherText } from "../../protocol/signature/statements.js";

export class Publisher {
  readonly #privateKey: KeyObject;
  /** PKCS #8 in PEM, for programs that sign. */
  readonly privatePem: string;
  /** SPKI in PEM, as in the file of trusted keys. */
  readonly pem: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;

  /** @param pem an existing private key; default: a new one */
  constructor(pem?: string) {
    const privateKey = pem === undefined ? generateKeyPairSync("ed25519").privateKey : createPrivateKey(pem);
    const publicKey = createPublicKey(privateKey);
    this.#privateKey = privateKey;
    this.privatePem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    this.pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    this.publicKey = Uint8Array.from(publicKey.export({ type: "spki", format: "der" }).subarray(-32));
  }

  /** Returns 128 hexadecimal digits: Ed25519 over the 32 bytes of the file's SHA-256. */
  sign(file: Uint8Array): string {
    return Buffer.from(this.signBytes(createHash("sha256").update(file).digest())).toString("hex");
  }

  /** Returns 64 bytes: Ed25519 over `message` itself, as in firmware bundles. */
  signBytes(message: Uint8Array): Uint8Array {
    return Uint8Array.from(sign(null, message, this.#privateKey));
  }

  /** The public key in 64 hexadecimal digits. */
  get hex(): string {
    return Buffer.from(this.publicKey).toString("hex");
  }

  /**
   * Returns the texts of a package that `publisher` signed, with a voucher by this key as the hub's
   * (docs/spec/app-packages.md#voucher).
   */
  vouchFor(publisher: Publisher, file: Uint8Array): PublisherTexts {
    const digest = createHash("sha256").update(file).digest();
    const voucher = this.#signText(voucherText(digest, publisher.publicKey));
    return { signature: publisher.sign(file), key: publisher.hex, voucher };
  }

  /** Returns a link of a succession: a statement by this key that `next` belongs to the same publisher. */
  succeedBy(next: Publisher): string {
    return `${this.hex}:${next.hex}:${this.#signText(successionText(this.publicKey, next.publicKey))}`;
  }

  #signText(text: string): string {
    return Buffer.from(this.signBytes(new TextEncoder().encode(text))).toString("hex");
  }

  /** Adds the key to the trusted keys of the console with this state directory. */
  becomeTrusted(state: string, roles = ""): void {
    const file = path.join(state, "lfs/hub/trusted_keys.pem");
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, roles + this.pem);
  }
}
