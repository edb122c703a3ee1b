/**
 * The keys that a file of trusted keys might make trusted, all of them while it is read: for a signature that is
 * at the beginning of what it signs, when only hashing under each of the keys lets the rest go by. A chain is not
 * followed, no date is looked at, and no key is looked for on the curve, which takes memory and time; whether a
 * key is trusted is for {@link TrustedKeysReader} to say, once the signature is known to hold under it. So nothing
 * is reported here.
 */

import { Fault } from "../fault.js";
import type { Base64 } from "../ports/bytes.js";
import { readCertificate } from "./certificate.js";
import { hasRole, type KeyRole } from "./key-role.js";
import { type PemItem, PemReader } from "./pem-reader.js";
import { readCandidateKey } from "./public-key.js";

/** Such keys, one after the other. */
export interface CandidateKeys {
  /** The next one, as a view that holds until the next call; `undefined` once there is no more. */
  next(): Uint8Array | undefined;
  /** May be called twice. */
  close(): void;
}

export interface CandidateKeysOptions {
  readonly base64: Base64;
  /** Keys that cannot have it are left out; a chain may still take it from one that is not. */
  readonly role: KeyRole;
  /** Is given each key within the call that its block ends in, as a view that holds during the call only. */
  readonly onKey: (publicKey: Uint8Array) => void;
}

/** Takes the file in pieces. A key that is in it twice comes twice. */
export class CandidateKeysReader {
  readonly #role: KeyRole;
  readonly #onKey: (publicKey: Uint8Array) => void;
  readonly #pem: PemReader;
  readonly #onItem = (item: PemItem) => this.#take(item);

  constructor({ base64, role, onKey }: CandidateKeysOptions) {
    this.#role = role;
    this.#pem = new PemReader(base64);
    this.#onKey = onKey;
  }

  /** Takes the next bytes of the file. */
  write(bytes: Uint8Array): void {
    this.#pem.write(bytes, this.#onItem);
  }

  /** Says that the file has ended. */
  end(): void {
    const last = this.#pem.end();
    if (last) this.#take(last);
  }

  #take(item: PemItem): void {
    if (item.kind !== "block" || !hasRole(item.roles, this.#role)) return;
    const publicKey = candidateOf(item.label, item.bytes);
    if (publicKey) this.#onKey(publicKey);
  }
}

/** `undefined` for what never makes a key trusted. */
function candidateOf(label: string, bytes: Uint8Array): Uint8Array | undefined {
  try {
    if (label === "PUBLIC KEY") return readCandidateKey(bytes);
    if (label !== "CERTIFICATE") return undefined;
    const { maySignPackages, publicKey } = readCertificate(bytes, readCandidateKey);
    return maySignPackages ? publicKey : undefined;
  } catch (error) {
    if (error instanceof Fault) return undefined; // reported by the reader of the trusted keys
    throw error;
  }
}
