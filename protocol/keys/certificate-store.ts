/**
 * Stores the certificates of a file compactly and finds their chains. The store uses two blocks of memory, which can be
 * outside the heap: one for the certificates' bytes, one for a row of numbers per certificate with the offsets of its
 * parts. An object per certificate would not fit in a heap of 128 KiB, and parsing a certificate again on each use
 * would be slow.
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
 * All certificates of a file, duplicates counted once: 70 of a usual size. They must be in memory together to find
 * their chains; outside the heap if the host has such memory (docs/spec/keys.md#any-number).
 */
const CERTIFICATES_LIMIT_BYTES = 32 * 1024;

/** Minimum size of a certificate: version 1, a serial number of one byte, empty names. */
export const SMALLEST_CERTIFICATE_BYTES = 169;

/** Certificates from a package's key to the self-signed one, both included (docs/spec/keys.md#chain). */
const CHAIN_LIMIT = 8;

/** Columns of a row. Positions are offsets in the block of bytes. */
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
/** Position of the roles in the `USES` column, above the two bits. */
const ROLES_SHIFT = 2;

/** Stands for any path length from 255 on: more than {@link CHAIN_LIMIT}, so never a restriction. */
const LONGEST_PATH = 0xff;

const ROWS_LIMIT = Math.floor(CERTIFICATES_LIMIT_BYTES / SMALLEST_CERTIFICATE_BYTES);

const HEAP: Memory = Object.freeze({
  allocate: (byteLength: number) => ({ bytes: new Uint8Array(byteLength), close: () => {} }),
});

/** Certificates have indexes 0, 1, 2, … in the order of the file. */
export class CertificateStore {
  readonly #memory: Memory;
  /** Allocated on the first `add`: most files contain no certificates. */
  #blocks: readonly MemoryBlock[] = [];
  #bytes = new Uint8Array(0);
  #rows = new Uint32Array(0);
  #length = 0;
  #end = 0;

  /** @param memory the heap if left out */
  constructor(memory: Memory = HEAP) {
    this.#memory = memory;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether the store contains this certificate, byte for byte. */
  has(der: Uint8Array): boolean {
    for (let index = 0; index < this.#length; index++) if (this.#isEqual(index, der)) return true;
    return false;
  }

  /**
   * Copy a certificate into the store.
   * @param line of the file, for messages
   * @param der its bytes; the parts of `certificate` are views of them
   * @param roles from its own roles line
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

  /** Roles from its own roles line; the issuers in its chain can restrict them further. */
  roles(index: number): RoleSet {
    return this.#field(index, USES) >> ROLES_SHIFT;
  }

  /** Path length of the certificate; 255 if it allows more or sets no limit. */
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

  /** A view, valid until the store is closed. */
  publicKey(index: number): Uint8Array {
    const start = this.#field(index, PUBLIC_KEY);
    return this.#bytes.subarray(start, start + PUBLIC_KEY_BYTES);
  }

  /** A view, valid until the store is closed. */
  signature(index: number): Uint8Array {
    const start = this.#field(index, SIGNATURE);
    return this.#bytes.subarray(start, start + SIGNATURE_BYTES);
  }

  /** The bytes that the signature covers: a view, valid until the store is closed. */
  signedBytes(index: number): Uint8Array {
    return this.#bytes.subarray(this.#field(index, SIGNED), this.#field(index, SIGNED_END));
  }

  /** For display, as {@link Certificate.label}. */
  label(index: number): string {
    const subject = this.#bytes.subarray(this.#field(index, SUBJECT), this.#field(index, SUBJECT_END));
    return labelOf(subject, this.publicKey(index));
  }

  /** Free the memory. Can be called twice. */
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

  /** Compares from the end, the signature, where different certificates differ first. */
  #isEqual(index: number, der: Uint8Array): boolean {
    const bytes = this.#bytes;
    const start = this.#field(index, START);
    if (this.#field(index, END) - start !== der.length) return false;
    for (let at = der.length - 1; at >= 0; at--) if (bytes[start + at] !== der[at]) return false;
    return true;
  }
}

// Finds the certificates that have a chain to a self-signed certificate (root) of the same file. The search starts at
// the roots and follows verified signatures down to the subjects. So certificates that only certify each other are
// never reached, and signatures that cannot lead to a root are never checked.
//
// The "room" of a certificate is the number of certificates that can follow it in a chain. The search visits issuers by
// descending room. A certificate reached from an issuer always has less room than the issuer, so it is first reached
// with the largest room possible: each certificate is reached once and expanded once, and no pair is checked twice.
// The chain that reaches a certificate determines its roles (the intersection over the chain) and its publisher (the
// root of the chain). The number of signature checks is limited, because any number of certificates can have the same
// names.

interface ChainOptions extends SignaturePorts {
  /** Yields to other work. Awaited before each signature check. */
  readonly pause: () => Promise<void>;
}

/** `anchored`: has a chain to a root; `loose`: has none; `unknown`: the limit of signature checks was reached. */
export type Standing = "anchored" | "loose" | "unknown";

const NOT_REACHED = -1;
const NOT_CHECKED = -2;

export class CertificateChains {
  readonly #store: CertificateStore;
  readonly #options: ChainOptions;
  /** Per certificate: its room, or NOT_REACHED or NOT_CHECKED. */
  readonly #rooms: Int8Array;
  /** Per reached certificate: its roles, and the root of its chain. */
  readonly #roles: Uint8Array;
  readonly #roots: Uint8Array;
  #checks = 0;

  constructor(store: CertificateStore, options: ChainOptions) {
    this.#store = store;
    this.#options = options;
    this.#rooms = new Int8Array(store.length).fill(NOT_REACHED);
    this.#roles = new Uint8Array(store.length);
    this.#roots = new Uint8Array(store.length);
  }

  /** Find all chains. Call once, when the store has all certificates. */
  async follow(): Promise<void> {
    const { length } = this.#rooms;
    for (let index = 0; index < length; index++)
      if (this.#store.isNamedBy(index, index)) await this.#reach(index, index, CHAIN_LIMIT);
    for (let room = CHAIN_LIMIT; room > 0; room--)
      for (let issuer = 0; issuer < length; issuer++)
        if (this.#rooms[issuer] === room) await this.#goDown(issuer, room);
  }

  standing(index: number): Standing {
    const room = this.#rooms[index];
    if (room === NOT_CHECKED) return "unknown";
    return room === NOT_REACHED ? "loose" : "anchored";
  }

  /** Roles that the certificate and its whole chain have in common. For anchored certificates only. */
  roles(index: number): RoleSet {
    return this.#roles[index] as number;
  }

  /** Index of the root of its chain. For anchored certificates only. */
  root(index: number): number {
    return this.#roots[index] as number;
  }

  /** Reach the subjects of an issuer. An issuer with room is one that may certify. */
  async #goDown(issuer: number, room: number): Promise<void> {
    await this.#options.pause();
    for (let subject = 0; subject < this.#rooms.length; subject++)
      if ((this.#rooms[subject] as number) < 0 && this.#store.isNamedBy(issuer, subject))
        await this.#reach(issuer, subject, room);
  }

  /** @param above how many certificates can still be added to the chain, `subject` included */
  async #reach(issuer: number, subject: number, above: number): Promise<void> {
    if (this.#checks === SIGNATURE_CHECKS_LIMIT) this.#rooms[subject] = NOT_CHECKED;
    else if (await this.#hasSigned(issuer, subject)) {
      const isRoot = issuer === subject;
      this.#rooms[subject] = this.#roomBelow(subject, above);
      this.#roles[subject] = this.#store.roles(subject) & (isRoot ? UNSTATED_ROLES : this.roles(issuer));
      this.#roots[subject] = isRoot ? subject : this.root(issuer);
    }
  }

  async #hasSigned(issuer: number, subject: number): Promise<boolean> {
    const { Digest, ed25519, pause } = this.#options;
    this.#checks++;
    await pause();
    const store = this.#store;
    const check = new SignatureCheck({
      signature: store.signature(subject),
      publicKey: store.publicKey(issuer),
      Digest,
      ed25519,
    });
    check.write(store.signedBytes(subject));
    return check.holds();
  }

  #roomBelow(index: number, above: number): number {
    if (!this.#store.mayCertify(index)) return 0;
    return Math.min(above - 1, this.#store.pathLength(index) + 1);
  }
}
