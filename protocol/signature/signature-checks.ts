/**
 * One signature over one message that passes in pieces, under any number of keys: R and a key stand before the
 * message in what is hashed (RFC 8032 §5.1.7), so a digest for each key runs along, and nothing of the message
 * has to be kept. The curve is left for the end, one key after the other.
 *
 * A hundred keys may be tried at a time, so that a key takes as little of a heap of 128 KiB as it can: its bytes
 * among the others in one array, and its digest.
 */
import type { Digest, DigestConstructor, Ed25519 } from "../ports/crypto.js";
import { PUBLIC_KEY_BYTES, R_BYTES, requireLength, SIGNATURE_BYTES, type SignaturePorts } from "./ed25519.js";

/** Room for so many keys at first; it doubles whenever it is full. */
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
  /** One after the other, as many as there are digests. */
  #keys = new Uint8Array(START_KEYS * PUBLIC_KEY_BYTES);
  readonly #digests: Digest[] = [];
  /** Digests before this one are closed. */
  #next = 0;

  /**
   * The signature is kept, not copied.
   * @throws {RangeError} for one of another length
   */
  constructor({ signature, Digest, ed25519 }: SignatureChecksOptions) {
    requireLength("signature", signature, SIGNATURE_BYTES);
    this.#Digest = Digest;
    this.#ed25519 = ed25519;
    this.#signature = signature;
    this.#r = signature.subarray(0, R_BYTES);
  }

  /** How many keys there are, equal ones once. */
  get length(): number {
    return this.#digests.length;
  }

  /**
   * Copies a key, before the first byte of the message. One that is there already is not taken again; one that is
   * no point of the curve is taken, and has signed nothing.
   * @throws {RangeError} for one of another length
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

  /** Takes the next bytes of the message. */
  write(bytes: Uint8Array): void {
    const digests = this.#digests;
    for (let index = 0; index < digests.length; index++) (digests[index] as Digest).write(bytes);
  }

  /**
   * Ends the message and goes on to the next key under which the signature holds, in the order of adding.
   * @param pause settles when work may go on: waited for before each key that is tried
   * @returns the key as a view, or `undefined` once there is no more
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

  /** Gives back what the digests hold outside of the heap, at any time. May be called twice. */
  close(): void {
    while (this.#next < this.#digests.length) (this.#digests[this.#next++] as Digest).close();
  }

  #has(publicKey: Uint8Array): boolean {
    const keys = this.#keys;
    const end = this.#digests.length * PUBLIC_KEY_BYTES;
    const first = publicKey[0]; // distinguishes almost any two, without a call for each key that is there
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
