/** Ed25519 keys as X.509 writes them (RFC 8410 §4): DER has one way to, so its bytes are compared. */

import { Fault } from "../fault.js";
import type { Ed25519 } from "../ports/ed25519.js";
import { PUBLIC_KEY_BYTES } from "../signature/ed25519.js";

/** AlgorithmIdentifier of Ed25519, of keys and of signatures alike (§3). */
const ED25519: readonly number[] = Object.freeze([0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70]);
/** SubjectPublicKeyInfo up to the key. */
const PREFIX: readonly number[] = Object.freeze([0x30, 0x2a, ...ED25519, 0x03, 0x21, 0x00]);

/**
 * The key in a SubjectPublicKeyInfo, as a view: 32 bytes that may be no point of the curve, or one that anybody can
 * sign for.
 * @throws {Fault} `keys_invalid` for a key of another kind
 */
export function readCandidateKey(element: Uint8Array): Uint8Array {
  if (element.length !== PREFIX.length + PUBLIC_KEY_BYTES || !startsWith(element, PREFIX))
    throw new Fault("keys_invalid", "its key is not an Ed25519 key");
  return element.subarray(PREFIX.length);
}

/**
 * The key in a SubjectPublicKeyInfo, as a view.
 * @throws {Fault} `keys_invalid` for a key of another kind, and for one that any attacker can sign for
 */
export function readPublicKey(element: Uint8Array, ed25519: Ed25519): Uint8Array {
  const key = readCandidateKey(element);
  if (!ed25519.isPublicKey(key))
    throw new Fault("keys_invalid", "its key is no point of the curve, or of small order");
  return key;
}

/** @param element an AlgorithmIdentifier */
export function isEd25519(element: Uint8Array): boolean {
  return element.length === ED25519.length && startsWith(element, ED25519);
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}
