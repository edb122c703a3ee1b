/**
 * Verifies one signature under several keys, over a message that arrives in pieces. The hash covers R and the key
 * before the message (RFC 8032 §5.1.7), so there is one digest per key, and the message is not stored. The curve
 * operations follow at the end, one key at a time.
 *
 * Up to a hundred keys can be tried together in a heap of 128 KiB, so each costs as little as possible: a digest, and
 * its bytes in one shared array.
 */
import type { Digest, DigestConstructor, Ed25519 } from "../ports/crypto.js";
import { PUBLIC_KEY_BYTES, R_BYTES, requireLength, SIGNATURE_BYTES, type SignaturePorts } from "./ed25519.js";

/** Initial capacity in keys; it doubles whenever it is full. */
const START_KEYS = 4;

export interface SignatureChecksOptions extends SignaturePorts {
  /** {@link SIGNATURE_BYTES}. */
  readonly signature: Uint8Array;
}

export class SignatureChecks {
  readonly #Digest: DigestConstructor;
  readonly #ed25519: Ed25519;
  readonly #signature: Uint8Array;
  readonly #r: Uint8Array;
  /** The keys one after another, in the order of `#digests`. */
  #keys = new Uint8Array(START_KEYS * PUBLIC_KEY_BYTES);
  readonly #digests: Digest[] = [];
  /** Index of the first digest that is not closed. */
  #next = 0;

  /**
   * Keeps the signature without copying it.
   * @throws {RangeError} for a signature of another length
   */
  constructor({ signature, Digest, ed25519 }: SignatureChecksOptions) {
    requireLength("signature", signature, SIGNATURE_BYTES);
    this.#Digest = Digest;
    this.#ed25519 = ed25519;
    this.#signature = signature;
    this.#r = signature.subarray(0, R_BYTES);
  }

  /** Number of keys, without duplicates. */
  get length(): number {
    return this.#digests.length;
  }

  /**
   * Add a copy of a key. Call before the first `write`. Duplicates are ignored. A key that is no point of the curve is
   * accepted, but no signature holds under it.
   * @throws {RangeError} for a key of another length
   */
  add(publicKey: Uint8Array): void {
    requireLength("public key", publicKey, PUBLIC_KEY_BYTES);
    if (this.#has(publicKey)) return;
    const start = this.#digests.length * PUBLIC_KEY_BYTES;
    if (start === this.#keys.length) this.#grow();
    this.#keys.set(publicKey, start);
    const digest = new this.#Digest("SHA512");
    digest.write(this.#r);
    digest.write(publicKey);
    this.#digests.push(digest);
  }

  /** Process the next bytes of the message. */
  write(bytes: Uint8Array): void {
    const digests = this.#digests;
    for (let index = 0; index < digests.length; index++) (digests[index] as Digest).write(bytes);
  }

  /**
   * End the message and find the next key under which the signature holds, in the order of adding.
   * @param pause yields to other work; awaited before each key that is tried
   * @returns the key as a view; `undefined` when none are left
   */
  async next(pause: () => Promise<void>): Promise<Uint8Array | undefined> {
    while (this.#next < this.#digests.length) {
      const index = this.#next++;
      const digest = new Uint8Array((this.#digests[index] as Digest).close());
      const publicKey = this.#keyAt(index);
      await pause();
      if (this.#ed25519.holds(this.#signature, publicKey, digest)) return publicKey;
    }
    return undefined;
  }

  /** Close the digests, which hold memory outside the heap. Can be called at any time, and twice. */
  close(): void {
    while (this.#next < this.#digests.length) (this.#digests[this.#next++] as Digest).close();
  }

  #has(publicKey: Uint8Array): boolean {
    const keys = this.#keys;
    const end = this.#digests.length * PUBLIC_KEY_BYTES;
    const first = publicKey[0]; // usually differs, which saves a call per key
    for (let start = 0; start < end; start += PUBLIC_KEY_BYTES)
      if (keys[start] === first && startsWith(keys.subarray(start), publicKey)) return true;
    return false;
  }

  #keyAt(index: number): Uint8Array {
    return this.#keys.subarray(index * PUBLIC_KEY_BYTES, (index + 1) * PUBLIC_KEY_BYTES);
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#keys.length);
    grown.set(this.#keys);
    this.#keys = grown;
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
