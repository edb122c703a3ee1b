/**
 * Verifies Ed25519 signatures (RFC 8032 §5.1.7) with the host's hash and curve. Accepts exactly the signatures that
 * OpenSSL accepts, so that a console and all programs on Node agree (docs/adr/0006-which-signatures-hold.md).
 *
 * The message is hashed as it arrives, after R and the key, so it need not be stored. The work at the end does not
 * depend on its length.
 */
import type { Digest, DigestConstructor, Ed25519 } from "../ports/crypto.js";

/** Length of a signature: R and S. */
export const SIGNATURE_BYTES = 64;
export const R_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;

/** Ports that the verification of signatures needs. */
export interface SignaturePorts {
  readonly Digest: DigestConstructor;
  readonly ed25519: Ed25519;
}

export interface SignatureCheckOptions extends SignaturePorts {
  /** {@link SIGNATURE_BYTES}. */
  readonly signature: Uint8Array;
  /** {@link PUBLIC_KEY_BYTES}. */
  readonly publicKey: Uint8Array;
}

/** Verifies one signature under one key, over a message that arrives in pieces. */
export class SignatureCheck {
  readonly #signature: Uint8Array;
  readonly #publicKey: Uint8Array;
  readonly #digest: Digest;
  readonly #ed25519: Ed25519;

  /**
   * Keeps the signature and the key without copying them.
   * @throws {RangeError} for a signature or a key of another length
   */
  constructor({ signature, publicKey, Digest, ed25519 }: SignatureCheckOptions) {
    requireLength("signature", signature, SIGNATURE_BYTES);
    requireLength("public key", publicKey, PUBLIC_KEY_BYTES);
    this.#signature = signature;
    this.#publicKey = publicKey;
    this.#ed25519 = ed25519;
    this.#digest = new Digest("SHA512");
    this.#digest.write(signature.subarray(0, R_BYTES));
    this.#digest.write(publicKey);
  }

  /** Process the next bytes of the message. */
  write(bytes: Uint8Array): void {
    this.#digest.write(bytes);
  }

  /** End the message and verify the signature. Call once. */
  holds(): boolean {
    const digest = new Uint8Array(this.#digest.close());
    return this.#ed25519.holds(this.#signature, this.#publicKey, digest);
  }
}

export interface SignedMessage extends SignatureCheckOptions {
  readonly message: Uint8Array;
}

/**
 * Whether `signature` over `message` holds under `publicKey`.
 * @throws {RangeError} for a signature or a key of another length
 */
export function verifySignature({ message, ...options }: SignedMessage): boolean {
  const check = new SignatureCheck(options);
  check.write(message);
  return check.holds();
}

/** @throws {RangeError} for bytes of another length */
export function requireLength(what: string, bytes: Uint8Array, byteLength: number): void {
  if (bytes.length !== byteLength)
    throw new RangeError(`Cannot check a ${what} of ${bytes.length} bytes, it has ${byteLength}`);
}
