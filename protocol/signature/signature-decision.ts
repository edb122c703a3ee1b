/**
 * Decides whether a signature holds under one key, once the message is hashed (RFC 8032 §5.1.7): the digest is
 * all that the message has left, so that deciding does not depend on the message's length.
 */
import { DoubleScalar } from "./double-scalar.js";
import { numberOf, ORDER, pointOf, scalarOf } from "./encodings.js";

/** S follows R, which has as many bytes. */
const S_AT = 32;
/** 0.8 ms on XS on a desktop [measured]: shorter slices would take as long as what comes between them. */
const DIGITS_OF_SLICE = 64;

export interface SignedDigest {
  /** R and S, 64 bytes. */
  readonly signature: Uint8Array;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** SHA-512 over R, the key and the message. */
  readonly digest: Uint8Array;
}

export class SignatureDecision {
  readonly #signature: Uint8Array;
  /** [S]B − [k]A, which is to be R; `undefined` where the verdict needs none. */
  readonly #sum: DoubleScalar | undefined;
  #verdict: boolean | undefined;

  /** Step 1 and the left side of step 3, with the digest of step 2. The signature is kept, not copied. */
  constructor({ signature, publicKey, digest }: SignedDigest) {
    this.#signature = signature;
    const s = signature.subarray(S_AT);
    const key = pointOf(publicKey);
    if (key && numberOf(s) < ORDER) this.#sum = new DoubleScalar(s, scalarOf(digest), key);
    else this.#verdict = false;
  }

  /** `undefined` while it is open. */
  get verdict(): boolean | undefined {
    return this.#verdict;
  }

  /**
   * Decides a slice further: 4 slices of 0.8 ms.
   * @returns the verdict, or `undefined` while it is open
   */
  advance(digits = DIGITS_OF_SLICE): boolean | undefined {
    if (this.#verdict !== undefined) return this.#verdict;
    const sum = this.#sum?.advance(digits);
    if (sum) this.#verdict = startsWith(this.#signature, sum.toBytes());
    return this.#verdict;
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
