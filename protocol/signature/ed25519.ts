/**
 * Ed25519 signatures (RFC 8032 §5.1.7): hashing by the host, the curve by `@noble/ed25519`. Which signatures
 * hold is pinned to what OpenSSL takes, so that a console and every program in Node agree
 * (docs/adr/0006-which-signatures-hold.md).
 *
 * The message is hashed as it passes, together with R and the key, which are known before it; what is left at
 * the end does not depend on its length.
 */
import { Point } from "@noble/ed25519";
import type { Digest, DigestConstructor } from "../../device/ports/digest.js";
import { hexadecimal } from "../hexadecimal.js";
import { DoubleScalar } from "./double-scalar.js";

/** R and S of a signature. */
export const SIGNATURE_BYTES = 64;
export const PUBLIC_KEY_BYTES = 32;

/** Order of the base point (RFC 8032 §5.1). */
const ORDER = Point.CURVE().n;
const SCALAR_BYTES = 32;
const DIGITS_OF_SLICE = 16;

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
  /** [S]B − [k]A, which is to be R; `undefined` until all of the message was written. */
  #sum: DoubleScalar | undefined;
  #verdict: boolean | undefined;

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
    this.#digest.write(signature.subarray(0, PUBLIC_KEY_BYTES));
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
   * Ends the message and decides a slice further, for whoever has others waiting: 17 slices of 0.2 ms.
   * @returns the verdict, or `undefined` while it is open
   */
  advance(digits = DIGITS_OF_SLICE): boolean | undefined {
    if (this.#verdict !== undefined) return this.#verdict;
    if (!this.#sum) return this.#begin();
    const sum = this.#sum.advance(digits);
    if (sum) this.#verdict = startsWith(this.#signature, sum.toBytes());
    return this.#verdict;
  }

  /** RFC 8032 §5.1.7, step 1 and the left side of step 3, with the digest of step 2. */
  #begin(): boolean | undefined {
    const challenge = new Uint8Array(this.#digest.close());
    const s = this.#signature.subarray(SCALAR_BYTES);
    const key = pointOf(this.#publicKey);
    if (key && numberOf(s) < ORDER) this.#sum = new DoubleScalar(s, scalarOf(challenge), key);
    else this.#verdict = false;
    return this.#verdict;
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

function requireLength(what: string, bytes: Uint8Array, byteLength: number): void {
  if (bytes.length !== byteLength)
    throw new RangeError(`Cannot check a ${what} of ${bytes.length} bytes, it has ${byteLength}`);
}

/** `undefined` for bytes that are no point. */
function pointOf(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, true);
  } catch {
    return undefined; // the only reason not to make a point of 32 bytes is that there is none
  }
}

/** Least significant byte first, as all numbers in RFC 8032. */
function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${hexadecimal(bytes.slice().reverse())}`);
}

/** The number in `bytes` modulo the order, least significant byte first. */
function scalarOf(bytes: Uint8Array): Uint8Array {
  return bytesOf(numberOf(bytes) % ORDER);
}

function bytesOf(scalar: bigint): Uint8Array {
  const digits = scalar.toString(16).padStart(2 * SCALAR_BYTES, "0");
  const bytes = new Uint8Array(SCALAR_BYTES);
  for (let at = 0; at < SCALAR_BYTES; at++) {
    const end = digits.length - 2 * at;
    bytes[at] = Number.parseInt(digits.slice(end - 2, end), 16);
  }
  return bytes;
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
