/**
 * The certificates of a file, side by side in memory that need not be the heap: their bytes in one block, and
 * in another a row of numbers for each, which say where its parts are. An object for each would take more of
 * a heap of 128 KiB than there is, and reading a certificate once more takes as long as it did before.
 */
import { Fault } from "../fault.js";
import type { Memory, MemoryBlock } from "../ports/runtime.js";
import {
  PUBLIC_KEY_BYTES,
  SIGNATURE_BYTES,
  SignatureCheck,
  type SignaturePorts,
} from "../signature/ed25519.js";
import { type Certificate, labelOf } from "./certificate.js";
import { type RoleSet, SIGNATURE_CHECKS_LIMIT, UNSTATED_ROLES } from "./pem-reader.js";

/**
 * All certificates of the file, which are in memory at once to find their chains, equal ones once: 70 of a
 * usual size. Outside of the heap, where the host has such memory (docs/spec/keys.md#any-number).
 */
const CERTIFICATES_LIMIT_BYTES = 32 * 1024;

/** The least that a certificate takes: of version 1, with a number of one byte and without names. */
export const SMALLEST_CERTIFICATE_BYTES = 169;

/** Certificates from a package's key to the self-signed one, both included (docs/spec/keys.md#chain). */
const CHAIN_LIMIT = 8;

/** Numbers of a row; places are offsets within the block of bytes. */
const LINE = 0;
const START = 1;
const END = 2;
const ISSUER = 3;
const ISSUER_END = 4;
const SUBJECT = 5;
const SUBJECT_END = 6;
const SIGNED = 7;
const SIGNED_END = 8;
const PUBLIC_KEY = 9;
const SIGNATURE = 10;
const PATH_LENGTH = 11;
const USES = 12;
const ROW = 13;

const MAY_CERTIFY = 1;
const MAY_SIGN_PACKAGES = 2;
/** Roles stand above these. */
const ROLES_SHIFT = 2;

/** Longer than any chain that is followed. */
const LONGEST_PATH = 0xff;

const ROWS_LIMIT = Math.floor(CERTIFICATES_LIMIT_BYTES / SMALLEST_CERTIFICATE_BYTES);

const HEAP: Memory = Object.freeze({
  allocate: (byteLength: number) => ({ bytes: new Uint8Array(byteLength), close: () => {} }),
});

/** Certificates go by the numbers 0, 1, 2 in the order of the file. */
export class CertificateStore {
  readonly #memory: Memory;
  /** Taken for the first certificate: most files have none. */
  #blocks: readonly MemoryBlock[] = [];
  #bytes = new Uint8Array(0);
  #rows = new Uint32Array(0);
  #length = 0;
  #end = 0;

  /** @param memory left out: the heap */
  constructor(memory: Memory = HEAP) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether the same certificate, byte by byte, stands here. */
  has(der: Uint8Array): boolean {
    for (let index = 0; index < this.#length; index++) if (this.#isEqual(index, der)) return true;
    return false;
  }

  /**
   * Copies what `certificate` was read from.
   * @param der its file, of which the parts of `certificate` are views
   * @param roles by its own roles line
   * @throws {Fault} `keys_invalid` past {@link CERTIFICATES_LIMIT_BYTES}
   */
  add(line: number, der: Uint8Array, certificate: Certificate, roles: RoleSet): void {
    const start = this.#end;
    if (start + der.length > CERTIFICATES_LIMIT_BYTES || this.#length === ROWS_LIMIT)
      throw new Fault("keys_invalid", `certificates take more than ${CERTIFICATES_LIMIT_BYTES} bytes`);
    if (this.#blocks.length === 0) this.#open();
    this.#bytes.set(der, start);
    const place = (part: Uint8Array) => start + part.byteOffset - der.byteOffset;
    const { issuer, subject, signedBytes, publicKey, signature } = certificate;
    const row = this.#length * ROW;
    const rows = this.#rows;
    rows[row + LINE] = line;
    rows[row + START] = start;
    rows[row + END] = this.#end = start + der.length;
    rows[row + ISSUER] = place(issuer);
    rows[row + ISSUER_END] = place(issuer) + issuer.length;
    rows[row + SUBJECT] = place(subject);
    rows[row + SUBJECT_END] = place(subject) + subject.length;
    rows[row + SIGNED] = place(signedBytes);
    rows[row + SIGNED_END] = place(signedBytes) + signedBytes.length;
    rows[row + PUBLIC_KEY] = place(publicKey);
    rows[row + SIGNATURE] = place(signature);
    rows[row + PATH_LENGTH] = Math.min(certificate.pathLength, LONGEST_PATH);
    rows[row + USES] =
      (certificate.mayCertify ? MAY_CERTIFY : 0) |
      (certificate.maySignPackages ? MAY_SIGN_PACKAGES : 0) |
      (roles << ROLES_SHIFT);
    this.#length++;
  }

  line(index: number): number {
    return this.#field(index, LINE);
  }

  mayCertify(index: number): boolean {
    return (this.#field(index, USES) & MAY_CERTIFY) !== 0;
  }

  maySignPackages(index: number): boolean {
    return (this.#field(index, USES) & MAY_SIGN_PACKAGES) !== 0;
  }

  /** By its own roles line: a chain may leave it less. */
  roles(index: number): RoleSet {
    return this.#field(index, USES) >> ROLES_SHIFT;
  }

  /** At most 255, where a certificate allows more or says nothing. */
  pathLength(index: number): number {
    return this.#field(index, PATH_LENGTH);
  }

  /** Whether `subject` names `issuer` as its issuer. */
  isNamedBy(issuer: number, subject: number): boolean {
    const bytes = this.#bytes;
    const start = this.#field(issuer, SUBJECT);
    let at = this.#field(issuer, SUBJECT_END);
    let other = this.#field(subject, ISSUER_END);
    if (at - start !== other - this.#field(subject, ISSUER)) return false;
    while (at > start) if (bytes[--at] !== bytes[--other]) return false; // names differ at their ends
    return true;
  }

  /** A view, until the shelf is closed. */
  publicKey(index: number): Uint8Array {
    const start = this.#field(index, PUBLIC_KEY);
    return this.#bytes.subarray(start, start + PUBLIC_KEY_BYTES);
  }

  /** A view, until the shelf is closed. */
  signature(index: number): Uint8Array {
    const start = this.#field(index, SIGNATURE);
    return this.#bytes.subarray(start, start + SIGNATURE_BYTES);
  }

  /** What the signature is over: a view, until the shelf is closed. */
  signedBytes(index: number): Uint8Array {
    return this.#bytes.subarray(this.#field(index, SIGNED), this.#field(index, SIGNED_END));
  }

  /** For people, as {@link Certificate.label}. */
  label(index: number): string {
    const subject = this.#bytes.subarray(this.#field(index, SUBJECT), this.#field(index, SUBJECT_END));
    return labelOf(subject, this.publicKey(index));
  }

  /** Gives the memory back. May be called twice. */
  close(): void {
    for (const block of this.#blocks) block.close();
    this.#blocks = [];
    this.#length = 0;
    this.#end = 0;
  }

  #open(): void {
    const bytes = this.#memory.allocate(CERTIFICATES_LIMIT_BYTES);
    this.#blocks = [bytes];
    const rows = this.#memory.allocate(ROWS_LIMIT * ROW * Uint32Array.BYTES_PER_ELEMENT);
    this.#blocks = [bytes, rows];
    this.#bytes = bytes.bytes as Uint8Array<ArrayBuffer>;
    this.#rows = new Uint32Array(rows.bytes.buffer as ArrayBuffer, rows.bytes.byteOffset, ROWS_LIMIT * ROW);
  }

  #field(index: number, field: number): number {
    return this.#rows[index * ROW + field] as number;
  }

  /** From the end, which is the signature: two certificates that are not equal differ there at once. */
  #isEqual(index: number, der: Uint8Array): boolean {
    const bytes = this.#bytes;
    const start = this.#field(index, START);
    if (this.#field(index, END) - start !== der.length) return false;
    for (let at = der.length - 1; at >= 0; at--) if (bytes[start + at] !== der[at]) return false;
    return true;
  }
}

// Which certificates have a chain to a self-signed one of the same file. Trust goes down from those along
// checked signatures, so that certificates that only certify each other are never reached, and signatures
// that lead to none of them are never checked.
//
// It goes down from the certificates with the most room below them first. Whatever is reached from one of
// them has less room, so it is reached with all that it can have: each certificate is reached once and goes
// on once, and no pair of them is looked at twice. The chain that it is reached by says what its roles are, those
// that all certificates of the chain have, and who its publisher is, the certificate that the chain begins at. How many signatures are checked is limited besides, since
// any number of certificates may bear the same names.

interface ChainOptions extends SignaturePorts {
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
