/**
 * Reads DNS messages in place (RFC 1035 §4). `load` walks a message once and checks every length, count and pointer;
 * later calls walk the same bytes again without checks and without copying: one reader is a cursor over questions and
 * records, and serves every datagram.
 */
import { dataIsWellFormed } from "./dns-data.js";
import {
  CLASS_TOP_BIT,
  FLAG_RESPONSE,
  FLAG_TRUNCATED,
  FLAGS_FOREIGN,
  HEADER_BYTES,
  nameOffsetInData,
} from "./dns-types.js";
import { type DomainName, endOfName, expandName, nameMatches } from "./domain-name.js";
import { DATAGRAM_LIMIT_BYTES, ENTRY_LIMIT, QUESTION_LIMIT } from "./limits.js";

/** Sections in the order of a message. */
export const QUESTION = 0;
export const ANSWER = 1;
export const AUTHORITY = 2;
export const ADDITIONAL = 3;
export type Section = typeof QUESTION | typeof ANSWER | typeof AUTHORITY | typeof ADDITIONAL;

export class DnsReader {
  readonly #nothing = new Uint8Array(0);
  #bytes: Uint8Array = this.#nothing;
  #position = 0;
  #remaining = 0;

  /** Where the cursor is: section, type, class without its top bit, and that bit. */
  section: Section = QUESTION;
  type = 0;
  classCode = 0;
  /** A record replaces what is cached (cache flush), a question wants a unicast answer. */
  hasTopBit = false;
  /** 0 on a question. */
  ttlSeconds = 0;
  #nameOffset = 0;
  #dataOffset = 0;
  #dataLength = 0;

  /**
   * Takes a message, which stays the caller's and must not change while it is read.
   * @returns false where it is malformed, has too much in it, or is not multicast DNS (RFC 6762 §18.3, §18.11)
   */
  load(bytes: Uint8Array): boolean {
    this.#bytes = bytes;
    if (bytes.length < HEADER_BYTES || bytes.length > DATAGRAM_LIMIT_BYTES) return false;
    if ((this.#uint16(2) & FLAGS_FOREIGN) !== 0) return false;
    const promised =
      this.count(QUESTION) + this.count(ANSWER) + this.count(AUTHORITY) + this.count(ADDITIONAL);
    if (promised > ENTRY_LIMIT || this.count(QUESTION) > QUESTION_LIMIT) return false;
    this.rewind();
    let entries = 0;
    while (this.next()) {
      if (!this.#dataIsWellFormed()) return false;
      entries++;
    }
    this.rewind();
    return entries === promised;
  }

  /** Lets go of the message, which may be kilobytes. */
  release(): void {
    this.#bytes = this.#nothing;
  }

  get id(): number {
    return this.#uint16(0);
  }
  get isResponse(): boolean {
    return (this.#uint16(2) & FLAG_RESPONSE) !== 0;
  }
  /** More known answers follow in another message (RFC 6762 §7.2). */
  get isTruncated(): boolean {
    return (this.#uint16(2) & FLAG_TRUNCATED) !== 0;
  }
  /** Entries of a section as the header gives them. */
  count(section: Section): number {
    return this.#uint16(4 + 2 * section);
  }

  /** Back to before the first entry. */
  rewind(): void {
    this.#position = HEADER_BYTES;
    this.section = QUESTION;
    this.#remaining = this.count(QUESTION);
  }

  /** Moves to the next question or record. @returns false past the last one */
  next(): boolean {
    while (this.#remaining === 0) {
      if (this.section === ADDITIONAL) return false;
      this.section = (this.section + 1) as Section;
      this.#remaining = this.count(this.section);
    }
    this.#remaining--;
    return this.#readEntry();
  }

  /** Whether the entry is about `name`. */
  nameIs(name: DomainName): boolean {
    return nameMatches(this.#bytes, this.#nameOffset, name);
  }

  /** A copy of the name of the entry. */
  copyName(): DomainName {
    return expandName(this.#bytes, this.#nameOffset);
  }

  /** Whether the record holds `data`, which is uncompressed; names within count without their case. */
  dataIs(data: Uint8Array): boolean {
    const nameAt = nameOffsetInData(this.type);
    if (nameAt === undefined) return data.length === this.#dataLength && this.#startsWith(data, data.length);
    if (!this.#startsWith(data, nameAt)) return false;
    if (!nameMatches(this.#bytes, this.#dataOffset + nameAt, data, nameAt)) return false;
    const ourRest = data.subarray(endOfName(data, nameAt));
    const rest = this.#bytes.subarray(this.#endOfDataName(nameAt), this.#dataOffset + this.#dataLength);
    return rest.length === ourRest.length && rest.every((byte, index) => byte === ourRest[index]);
  }

  /** A copy of the data of the record, names within it uncompressed (RFC 6762 §8.2). */
  copyData(): Uint8Array {
    const end = this.#dataOffset + this.#dataLength;
    const nameAt = nameOffsetInData(this.type);
    if (nameAt === undefined) return new Uint8Array(this.#bytes.subarray(this.#dataOffset, end));
    const name = expandName(this.#bytes, this.#dataOffset + nameAt);
    const rest = this.#bytes.subarray(this.#endOfDataName(nameAt), end);
    const data = new Uint8Array(nameAt + name.length + rest.length);
    data.set(this.#bytes.subarray(this.#dataOffset, this.#dataOffset + nameAt));
    data.set(name, nameAt);
    data.set(rest, nameAt + name.length);
    return data;
  }

  #readEntry(): boolean {
    this.#nameOffset = this.#position;
    const fixed = endOfName(this.#bytes, this.#position);
    const fixedBytes = this.section === QUESTION ? 4 : 10;
    if (fixed < 0 || fixed + fixedBytes > this.#bytes.length) return false;
    const classField = this.#uint16(fixed + 2);
    this.type = this.#uint16(fixed);
    this.classCode = classField & ~CLASS_TOP_BIT;
    this.hasTopBit = (classField & CLASS_TOP_BIT) !== 0;
    this.ttlSeconds = this.section === QUESTION ? 0 : this.#ttlAt(fixed + 4);
    this.#dataOffset = fixed + fixedBytes;
    this.#dataLength = this.section === QUESTION ? 0 : this.#uint16(fixed + 8);
    this.#position = this.#dataOffset + this.#dataLength;
    return this.#position <= this.#bytes.length;
  }

  #dataIsWellFormed(): boolean {
    if (this.section === QUESTION) return true;
    return dataIsWellFormed(this.type, this.#bytes, this.#dataOffset, this.#dataLength);
  }

  #endOfDataName(nameAt: number): number {
    return endOfName(this.#bytes, this.#dataOffset + nameAt);
  }

  #startsWith(data: Uint8Array, length: number): boolean {
    for (let index = 0; index < length; index++)
      if (this.#bytes[this.#dataOffset + index] !== data[index]) return false;
    return true;
  }

  #uint16(offset: number): number {
    return ((this.#bytes[offset] as number) << 8) | (this.#bytes[offset + 1] as number);
  }

  /** RFC 2181 §8: a time to live with its top bit set is 0. */
  #ttlAt(offset: number): number {
    const high = this.#uint16(offset);
    return high >= 0x8000 ? 0 : high * 0x10000 + this.#uint16(offset + 2);
  }
}
