/**
 * Which certificates have a chain to a self-signed one of the same file. Trust goes down from those along
 * checked signatures, so that certificates that only certify each other are never reached, and signatures
 * that lead to none of them are never checked.
 *
 * It goes down from the certificates with the most room below them first. Whatever is reached from one of
 * them has less room, so it is reached with all that it can have: each certificate is reached once and goes
 * on once, and no pair of them is looked at twice. The chain that it is reached by says what its roles are, those
 * that all certificates of the chain have, and who its publisher is, the certificate that the chain begins at. How many signatures are checked is limited besides, since
 * any number of certificates may bear the same names.
 */
import { SignatureCheck, type SignaturePorts } from "../signature/ed25519.js";
import type { CertificateStore } from "./certificate-store.js";
import { type RoleSet, UNSTATED_ROLES } from "./key-role.js";
import { CHAIN_LIMIT, SIGNATURE_CHECKS_LIMIT } from "./limits.js";

export interface ChainOptions extends SignaturePorts {
  /** Settles when work may go on: waited for before each signature that is checked. */
  readonly pause: () => Promise<void>;
}

/** `unknown`: it would have taken one check of a signature too many. */
export type Standing = "anchored" | "loose" | "unknown";

const NOT_REACHED = -1;
const NOT_CHECKED = -2;

export class CertificateChains {
  readonly #shelf: CertificateStore;
  readonly #options: ChainOptions;
  /** By certificate: how many may follow it in a chain, or why it is in none. */
  readonly #rooms: Int8Array;
  /** By certificate, once it is reached: its roles, and the certificate that its chain begins at. */
  readonly #roles: Uint8Array;
  readonly #roots: Uint8Array;
  #checks = 0;

  constructor(shelf: CertificateStore, options: ChainOptions) {
    this.#shelf = shelf;
    this.#options = options;
    this.#rooms = new Int8Array(shelf.length).fill(NOT_REACHED);
    this.#roles = new Uint8Array(shelf.length);
    this.#roots = new Uint8Array(shelf.length);
  }

  /** To be called once, when the shelf has all certificates. */
  async follow(): Promise<void> {
    const { length } = this.#rooms;
    for (let index = 0; index < length; index++)
      if (this.#shelf.isNamedBy(index, index)) await this.#reach(index, index, CHAIN_LIMIT);
    for (let room = CHAIN_LIMIT; room > 0; room--)
      for (let issuer = 0; issuer < length; issuer++)
        if (this.#rooms[issuer] === room) await this.#goDown(issuer, room);
  }

  standing(index: number): Standing {
    const room = this.#rooms[index];
    if (room === NOT_CHECKED) return "unknown";
    return room === NOT_REACHED ? "loose" : "anchored";
  }

  /** Those that the certificate and all of its chain have; of an anchored one. */
  roles(index: number): RoleSet {
    return this.#roles[index] as number;
  }

  /** The self-signed certificate that its chain begins at; of an anchored one. */
  root(index: number): number {
    return this.#roots[index] as number;
  }

  /** One that has room may certify. */
  async #goDown(issuer: number, room: number): Promise<void> {
    await this.#options.pause();
    for (let subject = 0; subject < this.#rooms.length; subject++)
      if ((this.#rooms[subject] as number) < 0 && this.#shelf.isNamedBy(issuer, subject))
        await this.#reach(issuer, subject, room);
  }

  /** @param above how many certificates the chain may still have, `subject` included */
  async #reach(issuer: number, subject: number, above: number): Promise<void> {
    if (this.#checks === SIGNATURE_CHECKS_LIMIT) this.#rooms[subject] = NOT_CHECKED;
    else if (await this.#hasSigned(issuer, subject)) {
      const isRoot = issuer === subject;
      this.#rooms[subject] = this.#roomBelow(subject, above);
      this.#roles[subject] = this.#shelf.roles(subject) & (isRoot ? UNSTATED_ROLES : this.roles(issuer));
      this.#roots[subject] = isRoot ? subject : this.root(issuer);
    }
  }

  async #hasSigned(issuer: number, subject: number): Promise<boolean> {
    const { Digest, ed25519, pause } = this.#options;
    this.#checks++;
    await pause();
    const shelf = this.#shelf;
    const check = new SignatureCheck({
      signature: shelf.signature(subject),
      publicKey: shelf.publicKey(issuer),
      ...{ Digest, ed25519 },
    });
    check.write(shelf.signedBytes(subject));
    return check.holds();
  }

  #roomBelow(index: number, above: number): number {
    if (!this.#shelf.mayCertify(index)) return 0;
    return Math.min(above - 1, this.#shelf.pathLength(index) + 1);
  }
}
