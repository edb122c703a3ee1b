/**
 * The curve of signatures (protocol/ports/ed25519.ts) by `@noble/ed25519`, for programs in Node, whose own functions want
 * the message rather than its digest. Consoles have theirs in C (docs/adr/0012-the-curve-in-c.md).
 */
import type { Ed25519 } from "../ports/ed25519.js";
import { PUBLIC_KEY_BYTES, R_BYTES, requireLength, SIGNATURE_BYTES } from "../signature/ed25519.js";
import { doubleScalar } from "./double-scalar.js";
import { numberOf, ORDER, pointOf, scalarOf } from "./encodings.js";

const DIGEST_BYTES = 64;

export const nobleEd25519: Ed25519 = Object.freeze({
  holds(signature: Uint8Array, publicKey: Uint8Array, digest: Uint8Array): boolean {
    requireLength("signature", signature, SIGNATURE_BYTES);
    requireLength("public key", publicKey, PUBLIC_KEY_BYTES);
    requireLength("digest", digest, DIGEST_BYTES);
    const s = signature.subarray(R_BYTES);
    const key = pointOf(publicKey);
    if (!key || numberOf(s) >= ORDER) return false;
    return startsWith(signature, doubleScalar(s, scalarOf(digest), key).toBytes());
  },

  isPublicKey(bytes: Uint8Array): boolean {
    requireLength("public key", bytes, PUBLIC_KEY_BYTES);
    return pointOf(bytes)?.double().double().double().is0() === false;
  },
});

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
