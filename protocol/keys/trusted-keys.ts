/**
 * The keys whose signatures a console takes, out of a PEM file (docs/spec/keys.md): every Ed25519
 * `PUBLIC KEY`, and the key of every `CERTIFICATE` that has a chain in the file to a self-signed one, unless
 * its usage keeps it from signing packages. Each has the roles that its roles line gives it (docs/spec/keys.md#roles),
 * of which a certificate keeps those that all of its chain have. What is of no use is told, and takes nothing else with
 * it.
 *
 * Keys are handed out while the file is read, so that a file of any length takes no more memory than a short
 * one. Only certificates have to wait for its end, since their issuers may come after them.
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

// The keys that a file of trusted keys might make trusted, all of them while it is read: for a signature that is
// at the beginning of what it signs, when only hashing under each of the keys lets the rest go by. A chain is not
// followed, no date is looked at, and no key is looked for on the curve, which takes memory and time; whether a
// key is trusted is for {@link TrustedKeysReader} to say, once the signature is known to hold under it. So nothing
// is reported here.

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

export interface TrustedKey {
  readonly publicKey: Uint8Array;
  /** For people: the certificate's common name, or the beginning of the key in hexadecimal. */
  readonly label: string;
  /** What it may sign; at least one. */
  readonly roles: readonly KeyRole[];
  /** No roles line states its roles, neither before the key nor before a certificate of its chain. */
  readonly hasEveryRoleByDefault: boolean;
  /** Whose key it is: the public key of the root of its certificate chain, or the key itself. */
  readonly publisher: Uint8Array;
}

export interface TrustedKeys {
  /** Each once; a key that is in the file with other roles too has an entry for each set of them. */
  readonly keys: readonly TrustedKey[];
  /** Unusable entries and why, a line each, at most 16. */
  readonly problems: readonly string[];
}

export interface TrustedKeysOptions extends SignaturePorts {
  readonly base64: Base64;
  /** Where certificates stand, if there are any: 42 KiB. Left out: in the heap. */
  readonly memory?: Memory | undefined;
  /** Milliseconds since 1970; left out while the clock is not set, and dates are not checked then. */
  readonly now?: number | undefined;
  /** Says which keys are trusted no more: they are as if they were not in the file. */
  readonly isRevoked?: ((publicKey: Uint8Array) => boolean) | undefined;
}

/** Why a certificate is unusable. */
const LOOSE: Readonly<Record<Standing, string | undefined>> = Object.freeze({
  anchored: undefined,
  loose: "does not lead to a self-signed certificate of this file",
  unknown: `is left out: of a file's certificates ${SIGNATURE_CHECKS_LIMIT} signatures are checked`,
});
const NO_ROLE = "has no role: its issuers have none of those that its roles line names";

/** Settles when work may go on: waited for before each signature that is checked. */
export type Pause = () => Promise<void>;

/** Takes the file in pieces: after each, and after the end, {@link nextKey} has the keys to be taken. */
export class TrustedKeysReader {
  readonly #ports: SignaturePorts;
  readonly #isRevoked: TrustedKeysOptions["isRevoked"];
  readonly #readKey = (element: Uint8Array) => this.#keyIn(element);
  readonly #now: number;
  readonly #pem: PemReader;
  readonly #onItem = (item: PemItem) => this.#take(item);
  /** Out of `PUBLIC KEY` blocks, until they are taken. */
  #keys: TrustedKey[] = [];
  readonly #shelf: CertificateStore;
  /** Once the file has ended. */
  #chains: CertificateChains | undefined;
  /** Certificates before this one have given their keys. */
  #given = 0;
  readonly #problems: string[] = [];

  constructor({ base64, Digest, ed25519, memory, now = Number.NaN, isRevoked }: TrustedKeysOptions) {
    this.#isRevoked = isRevoked;
    this.#ports = { Digest, ed25519 };
    this.#now = now;
    this.#pem = new PemReader(base64);
    this.#shelf = new CertificateStore(memory);
  }

  /** Unusable entries up to here and why, a line each, at most 16. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Takes the next bytes of the file. Their keys stay in memory until they are taken. */
  write(bytes: Uint8Array): void {
    this.#pem.write(bytes, this.#onItem);
  }

  /** Says that the file has ended, and follows the chains. To be called once. */
  async end(pause: Pause = immediately): Promise<void> {
    const last = this.#pem.end();
    if (last) this.#take(last);
    const chains = new CertificateChains(this.#shelf, { ...this.#ports, pause });
    await chains.follow();
    for (let index = 0; index < this.#shelf.length; index++) this.#reportUseless(index, chains);
    this.#chains = chains;
  }

  /** A key that was not given yet; one that is in the file twice may come twice. */
  nextKey(): TrustedKey | undefined {
    return this.#keys.shift() ?? this.#nextOfCertificates();
  }

  /** Gives memory back, at any time. May be called twice. */
  close(): void {
    this.#keys = [];
    this.#chains = undefined;
    this.#shelf.close();
  }

  #nextOfCertificates(): TrustedKey | undefined {
    const shelf = this.#shelf;
    while (this.#chains && this.#given < shelf.length) {
      const index = this.#given++;
      const roles = this.#chains.roles(index);
      if (this.#chains.standing(index) !== "anchored" || !shelf.maySignPackages(index) || roles === 0)
        continue;
      const publisher = shelf.publicKey(this.#chains.root(index)).slice();
      return trustedKey(shelf.publicKey(index).slice(), shelf.label(index), roles, publisher);
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
      this.#keys.push(trustedKey(publicKey, hexadecimal(publicKey.subarray(0, 8)), roles, publicKey));
    } else if (label === "CERTIFICATE") this.#takeCertificate(block);
    else throw new Fault("keys_invalid", "only PUBLIC KEY and CERTIFICATE are");
  }

  #takeCertificate({ bytes, line, roles }: PemBlock): void {
    if (this.#shelf.has(bytes)) return;
    const certificate = readCertificate(bytes, this.#readKey);
    const { label, notBefore, notAfter } = certificate;
    // A clock that is not set is neither before nor after.
    if (this.#now < notBefore) this.#reportOf(line, label, `is not valid before ${dateOf(notBefore)}`);
    else if (this.#now > notAfter) this.#reportOf(line, label, `expired on ${dateOf(notAfter)}`);
    else this.#shelf.add(line, bytes, certificate, roles);
  }

  #reportUseless(index: number, chains: CertificateChains): void {
    if (this.#problems.length === PROBLEMS_LIMIT) return;
    const standing = chains.standing(index);
    const reason = standing === "anchored" && chains.roles(index) === 0 ? NO_ROLE : LOOSE[standing];
    if (reason) this.#reportOf(this.#shelf.line(index), this.#shelf.label(index), reason);
  }

  #reportOf(line: number, label: string, reason: string): void {
    this.#report(line, `certificate "${label}" ${reason}`);
  }

  #report(line: number, text: string): void {
    if (this.#problems.length < PROBLEMS_LIMIT) this.#problems.push(`line ${line}: ${text}`);
  }
}

/** All of the file at once, for programs with memory for all of its keys. */
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

function trustedKey(publicKey: Uint8Array, label: string, roles: RoleSet, publisher: Uint8Array): TrustedKey {
  return { publicKey, label, roles: rolesOf(roles), hasEveryRoleByDefault: !areStated(roles), publisher };
}

async function immediately(): Promise<void> {}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
