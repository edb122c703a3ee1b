/**
 * Ed25519 signatures (RFC 8032 §5.1.7): hashing by the host, the curve by `@noble/ed25519`. Which signatures
 * hold is pinned to what OpenSSL takes, so that a console and every program in Node agree
 * (docs/adr/0006-which-signatures-hold.md).
 *
 * The message is hashed as it passes, together with R and the key, which are known before it; what is left at
 * the end does not depend on its length.
 */
import type { Digest, DigestConstructor } from "../../device/ports/digest.js";
import { pointOf } from "./encodings.js";
import { SignatureDecision } from "./signature-decision.js";

/** R and S of a signature. */
export const SIGNATURE_BYTES = 64;
export const R_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;

export interface SignatureCheckOptions {
  /** {@link SIGNATURE_BYTES}. */
  readonly signature: Uint8Array;
  /** {@link PUBLIC_KEY_BYTES}. */
  readonly publicKey: Uint8Array;
  readonly Digest: DigestConstructor;
}

/** Whether a signature over a message that passes in pieces is that of one key. */
export class SignatureCheck {
  readonly #signature: Uint8Array;
  readonly #publicKey: Uint8Array;
  readonly #digest: Digest;
  /** `undefined` until all of the message was written. */
  #decision: SignatureDecision | undefined;

  /**
   * Signature and key are kept, not copied.
   * @throws {RangeError} for one of another length
   */
  constructor({ signature, publicKey, Digest }: SignatureCheckOptions) {
    requireLength("signature", signature, SIGNATURE_BYTES);
    requireLength("public key", publicKey, PUBLIC_KEY_BYTES);
    this.#signature = signature;
    this.#publicKey = publicKey;
    this.#digest = new Digest("SHA512");
    this.#digest.write(signature.subarray(0, R_BYTES));
    this.#digest.write(publicKey);
  }

  /** Takes the next bytes of the message. */
  write(bytes: Uint8Array): void {
    this.#digest.write(bytes);
  }

  /** Ends the message and decides in one go: 3 ms on XS on a desktop [measured]. */
  holds(): boolean {
    for (;;) {
      const verdict = this.advance(Number.POSITIVE_INFINITY);
      if (verdict !== undefined) return verdict;
    }
  }

  /**
   * Ends the message and decides a slice further, for whoever has others waiting: 5 slices of at most 0.8 ms.
   * @param digits left out: as many as a slice has
   * @returns the verdict, or `undefined` while it is open
   */
  advance(digits?: number): boolean | undefined {
    if (this.#decision) return this.#decision.advance(digits);
    const digest = new Uint8Array(this.#digest.close());
    this.#decision = new SignatureDecision({
      signature: this.#signature,
      publicKey: this.#publicKey,
      digest,
    });
    return this.#decision.verdict;
  }
}

export interface SignedMessage extends SignatureCheckOptions {
  readonly message: Uint8Array;
}

/**
 * Whether `signature` over `message` is that of `publicKey`.
 * @throws {RangeError} for a signature or a key of another length
 */
export function verifySignature({ message, ...options }: SignedMessage): boolean {
  const check = new SignatureCheck(options);
  check.write(message);
  return check.holds();
}

/**
 * Whether `bytes` are a key that only its owner can sign for. Under a point of small order signatures hold
 * that nobody made; the rule takes them as OpenSSL does, so such a key must not become a trusted one.
 */
export function isPublicKey(bytes: Uint8Array): boolean {
  if (bytes.length !== PUBLIC_KEY_BYTES) return false;
  return pointOf(bytes)?.double().double().double().is0() === false; // not `multiply`: see double-scalar.ts
}

/** @throws {RangeError} for bytes of another length */
export function requireLength(what: string, bytes: Uint8Array, byteLength: number): void {
  if (bytes.length !== byteLength)
    throw new RangeError(`Cannot check a ${what} of ${bytes.length} bytes, it has ${byteLength}`);
}
