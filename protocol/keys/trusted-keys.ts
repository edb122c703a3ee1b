/**
 * Reads the keys that a console trusts from a PEM file (docs/spec/keys.md): every Ed25519 `PUBLIC KEY`, and the key of
 * every `CERTIFICATE` that has a chain to a self-signed one in the file, unless its key usage forbids signing packages.
 * A key has the roles of its roles line (docs/spec/keys.md#roles); a certificate, only those that its whole chain has.
 * An unusable entry is reported and does not affect the others.
 *
 * Keys are returned while the file is read, so memory does not depend on the number of plain keys. Certificates wait
 * for the end of the file, because their issuers can come after them.
 */
import { Fault } from "../fault.js";
import { hexadecimal } from "../hexadecimal.js";
import type { Base64, Memory } from "../ports/runtime.js";
import type { SignaturePorts } from "../signature/ed25519.js";
import { readCandidateKey, readCertificate, readPublicKey } from "./certificate.js";
import { CertificateChains, CertificateStore, type Standing } from "./certificate-store.js";
import {
  areStated,
  hasRole,
  type KeyRole,
  type PemBlock,
  type PemItem,
  PemReader,
  PROBLEMS_LIMIT,
  type RoleSet,
  rolesOf,
  SIGNATURE_CHECKS_LIMIT,
} from "./pem-reader.js";

// Candidate keys: all keys that the file could make trusted. They are needed when a signature comes before the data
// that it covers: hashing under every candidate as the data arrives avoids storing it. To save memory and time, chains,
// dates and points of the curve are not checked here, and nothing is reported. Once a signature holds under a
// candidate, {@link TrustedKeysReader} decides whether that key is trusted.

/** Iterates over candidate keys. */
export interface CandidateKeys {
  /** The next key, as a view valid until the next call; `undefined` when none are left. */
  next(): Uint8Array | undefined;
  /** Can be called twice. */
  close(): void;
}

export interface CandidateKeysOptions {
  readonly base64: Base64;
  /** Skips keys whose own roles line excludes this role. Issuers, which can exclude it too, are not checked. */
  readonly role: KeyRole;
  /** Called with each key during the `write` or `end` that completes its block. A view, valid during the call only. */
  readonly onKey: (publicKey: Uint8Array) => void;
}

/** Reads candidate keys from a file that arrives in pieces. Duplicate keys are reported twice. */
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

  /** Process the next bytes of the file. */
  write(bytes: Uint8Array): void {
    this.#pem.write(bytes, this.#onItem);
  }

  /** Signal the end of the file. */
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

/** The key of a block; `undefined` for a block that can never make a key trusted. */
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

export interface TrustedKey {
  readonly publicKey: Uint8Array;
  /** For display: the certificate's common name, or the first 8 bytes of the key in hexadecimal. */
  readonly label: string;
  /** What the key can sign; at least one role. */
  readonly roles: readonly KeyRole[];
  /** Whether neither the key nor any certificate of its chain has a roles line. */
  readonly hasEveryRoleByDefault: boolean;
  /** Identity of the key's owner: the public key of the root of its certificate chain, or the key itself. */
  readonly publisher: Uint8Array;
}

export interface TrustedKeys {
  /** Without duplicates; a key that occurs with different roles has an entry for each set of roles. */
  readonly keys: readonly TrustedKey[];
  /** Unusable entries with the reason, one line each, at most 16. */
  readonly problems: readonly string[];
}

export interface TrustedKeysOptions extends SignaturePorts {
  readonly base64: Base64;
  /** For the certificates, if there are any: 42 KiB. The heap if left out. */
  readonly memory?: Memory | undefined;
  /** Milliseconds since 1970. Left out while the clock is not set; dates are then not checked. */
  readonly now?: number | undefined;
  /** Whether a key is revoked. Revoked keys are reported as problems and not trusted. */
  readonly isRevoked?: ((publicKey: Uint8Array) => boolean) | undefined;
}

/** Why a certificate is unusable. */
const LOOSE: Readonly<Record<Standing, string | undefined>> = Object.freeze({
  anchored: undefined,
  loose: "does not lead to a self-signed certificate of this file",
  unknown: `is left out: of a file's certificates ${SIGNATURE_CHECKS_LIMIT} signatures are checked`,
});
const NO_ROLE = "has no role: its issuers have none of those that its roles line names";

/** Yields to other work. Awaited before each signature check. */
export type Pause = () => Promise<void>;

/**
 * Reads trusted keys from a file that arrives in pieces. After each `write`, and after `end`, take the new keys with
 * `nextKey`.
 */
export class TrustedKeysReader {
  readonly #ports: SignaturePorts;
  readonly #isRevoked: TrustedKeysOptions["isRevoked"];
  readonly #readKey = (element: Uint8Array) => this.#keyIn(element);
  readonly #now: number;
  readonly #pem: PemReader;
  readonly #onItem = (item: PemItem) => this.#take(item);
  /** Keys of `PUBLIC KEY` blocks, until `nextKey` returns them. */
  #keys: TrustedKey[] = [];
  readonly #store: CertificateStore;
  /** Set once the file has ended. */
  #chains: CertificateChains | undefined;
  /** Index of the next certificate for `nextKey`. */
  #given = 0;
  readonly #problems: string[] = [];

  constructor({ base64, Digest, ed25519, memory, now = Number.NaN, isRevoked }: TrustedKeysOptions) {
    this.#isRevoked = isRevoked;
    this.#ports = { Digest, ed25519 };
    this.#now = now;
    this.#pem = new PemReader(base64);
    this.#store = new CertificateStore(memory);
  }

  /** Unusable entries so far with the reason, one line each, at most 16. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Process the next bytes of the file. Keys stay in memory until {@link nextKey} returns them. */
  write(bytes: Uint8Array): void {
    this.#pem.write(bytes, this.#onItem);
  }

  /** Signal the end of the file, and find the certificate chains. Call once. */
  async end(pause: Pause = immediately): Promise<void> {
    const last = this.#pem.end();
    if (last) this.#take(last);
    const chains = new CertificateChains(this.#store, { ...this.#ports, pause });
    await chains.follow();
    for (let index = 0; index < this.#store.length; index++) this.#reportUseless(index, chains);
    this.#chains = chains;
  }

  /** The next key; `undefined` if there is none yet. A key that is in the file twice can be returned twice. */
  nextKey(): TrustedKey | undefined {
    return this.#keys.shift() ?? this.#nextOfCertificates();
  }

  /** Free the memory. Can be called at any time, and twice. */
  close(): void {
    this.#keys = [];
    this.#chains = undefined;
    this.#store.close();
  }

  #nextOfCertificates(): TrustedKey | undefined {
    const store = this.#store;
    while (this.#chains && this.#given < store.length) {
      const index = this.#given++;
      const roles = this.#chains.roles(index);
      if (this.#chains.standing(index) !== "anchored" || !store.maySignPackages(index) || roles === 0)
        continue;
      const publisher = store.publicKey(this.#chains.root(index)).slice();
      return trustedKey(store.publicKey(index).slice(), store.label(index), roles, publisher);
    }
    return undefined;
  }

  #take(item: PemItem): void {
    if (item.kind === "problem") {
      this.#report(item.line, item.text);
      return;
    }
    try {
      this.#takeBlock(item);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#report(item.line, `${item.label} cannot be used: ${error.message}`);
    }
  }

  #keyIn(element: Uint8Array): Uint8Array {
    const publicKey = readPublicKey(element, this.#ports.ed25519);
    if (this.#isRevoked?.(publicKey)) throw new Fault("keys_invalid", "its key is revoked");
    return publicKey;
  }

  #takeBlock(block: PemBlock): void {
    const { label, bytes, roles } = block;
    if (label === "PUBLIC KEY") {
      const publicKey = this.#readKey(bytes);
      this.#keys.push(trustedKey(publicKey, keyLabel(publicKey), roles, publicKey));
    } else if (label === "CERTIFICATE") this.#takeCertificate(block);
    else throw new Fault("keys_invalid", "only PUBLIC KEY and CERTIFICATE are");
  }

  #takeCertificate({ bytes, line, roles }: PemBlock): void {
    if (this.#store.has(bytes)) return;
    const certificate = readCertificate(bytes, this.#readKey);
    const { label, notBefore, notAfter } = certificate;
    // If the clock is not set, `#now` is NaN and both comparisons are false.
    if (this.#now < notBefore) this.#reportOf(line, label, `is not valid before ${dateOf(notBefore)}`);
    else if (this.#now > notAfter) this.#reportOf(line, label, `expired on ${dateOf(notAfter)}`);
    else this.#store.add(line, bytes, certificate, roles);
  }

  #reportUseless(index: number, chains: CertificateChains): void {
    if (this.#problems.length > PROBLEMS_LIMIT) return;
    const standing = chains.standing(index);
    const reason = standing === "anchored" && chains.roles(index) === 0 ? NO_ROLE : LOOSE[standing];
    if (reason) this.#reportOf(this.#store.line(index), this.#store.label(index), reason);
  }

  #reportOf(line: number, label: string, reason: string): void {
    this.#report(line, `certificate "${label}" ${reason}`);
  }

  #report(line: number, text: string): void {
    const { length } = this.#problems;
    if (length < PROBLEMS_LIMIT) this.#problems.push(`line ${line}: ${text}`);
    else if (length === PROBLEMS_LIMIT) this.#problems.push("further problems are not listed");
  }
}

/** Read a whole file at once, for programs with enough memory for all of its keys. */
export async function readTrustedKeys(
  file: Uint8Array | string,
  { pause = immediately, ...options }: TrustedKeysOptions & { readonly pause?: Pause | undefined },
): Promise<TrustedKeys> {
  const reader = new TrustedKeysReader(options);
  try {
    reader.write(typeof file === "string" ? new TextEncoder().encode(file) : file);
    await reader.end(pause);
    const keys = new Map<string, TrustedKey>();
    for (let key = reader.nextKey(); key; key = reader.nextKey()) {
      const name = `${hexadecimal(key.publicKey)} ${key.roles}`;
      if (!keys.has(name)) keys.set(name, key);
    }
    return { keys: [...keys.values()], problems: reader.problems };
  } finally {
    reader.close();
  }
}

/** Label of a key without a certificate. */
export function keyLabel(publicKey: Uint8Array): string {
  return hexadecimal(publicKey.subarray(0, 8));
}

function trustedKey(publicKey: Uint8Array, label: string, roles: RoleSet, publisher: Uint8Array): TrustedKey {
  return { publicKey, label, roles: rolesOf(roles), hasEveryRoleByDefault: !areStated(roles), publisher };
}

async function immediately(): Promise<void> {}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
