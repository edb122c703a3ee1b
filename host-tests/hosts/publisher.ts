/** Somebody who signs files, and whom a console trusts where a test says so (section 6 of the decisions). */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export class Publisher {
  readonly #privateKey: KeyObject;
  /** PKCS #8 in PEM, for programs that sign. */
  readonly privatePem: string;
  /** SPKI in PEM, as in the file of trusted keys. */
  readonly pem: string;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.#privateKey = privateKey;
    this.privatePem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    this.pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  }

  /** 128 hexadecimal digits: Ed25519 over the 32 bytes of the file's SHA-256. */
  sign(file: Uint8Array): string {
    return Buffer.from(this.signBytes(createHash("sha256").update(file).digest())).toString("hex");
  }

  /** 64 bytes: Ed25519 over the bytes themselves, as in a bundle of firmware. */
  signBytes(message: Uint8Array): Uint8Array {
    return Uint8Array.from(sign(null, message, this.#privateKey));
  }

  /** Puts the key where a console with this state directory finds it. */
  becomeTrusted(state: string): void {
    const file = path.join(state, "lfs/hub/trusted_keys.pem");
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, this.pem);
  }
}
