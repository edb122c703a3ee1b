/**
 * A reader and a writer of DNS messages (RFC 1035 §4) in TypeScript: what the sandboxed program `dns` is compared with.
 */
import type { RecordForm, ResourceRecord } from "../../../device/services/mdns/dns-message.js";
import type { DomainName } from "../../../device/services/mdns/domain-name.js";
import { endOfName, expandName, nameMatches, POINTER_MARK } from "./domain-name.js";

/** Largest message written: an Ethernet payload of 1500 bytes minus IP and UDP headers (RFC 6762 §17). */
const MESSAGE_LIMIT_BYTES = 1472;

/** Largest message read: the maximum of RFC 6762 §17. */
const DATAGRAM_LIMIT_BYTES = 9000;

/**
 * Questions in a message. A computer that browses for all services at once asks for about thirty types
 * (docs/spec/mdns.md#mdns-limits).
 */
const QUESTION_LIMIT = 64;

/** Questions and records in a message: 9000 bytes can hold a thousand, and each is compared with each of ours. */
const ENTRY_LIMIT = 256;

/** Name suffixes that a writer remembers as pointer targets; further names are not compressed. */
const SUFFIX_LIMIT = 48;

// Numbers of the DNS wire format that multicast DNS uses (RFC 1035 §3.2, RFC 3596, RFC 2782, RFC 4034).

const TYPE_A = 1;
const TYPE_NS = 2;
const TYPE_CNAME = 5;
const TYPE_PTR = 12;
const TYPE_TXT = 16;
const TYPE_AAAA = 28;
const TYPE_SRV = 33;
const TYPE_NSEC = 47;
const CLASS_IN = 1;
/** Top bit of a class: cache flush in a record, unicast answer requested in a question (RFC 6762 §18.12-13). */
const CLASS_TOP_BIT = 0x8000;

const HEADER_BYTES = 12;
const FLAG_RESPONSE = 0x8000;
const FLAG_TRUNCATED = 0x0200;
/** Operation and response code: nonzero ones are not multicast DNS (RFC 6762 §18.3 and §18.11). */
const FLAGS_FOREIGN = 0x780f;

/** Offset of the domain name in the data of a record type; `undefined` if the data has none. */
function nameOffsetInData(type: number): number | undefined {
  switch (type) {
    case TYPE_NS:
    case TYPE_CNAME:
    case TYPE_PTR:
    case TYPE_NSEC:
      return 0;
    case TYPE_SRV:
      return 6;
    default:
      return undefined;
  }
}

// Checks the data of records of known layout (RFC 1035 §3.3, RFC 2782, RFC 4034 §4.1).

/** RFC 4034 §4.1.2: a window holds 256 types. */
const WINDOW_LIMIT_BYTES = 32;

/** Whether `length` bytes at `offset` of a message are valid data of `type`. Data of unknown types is always valid. */
function dataIsWellFormed(type: number, message: Uint8Array, offset: number, length: number): boolean {
  const end = offset + length;
  if (type === TYPE_A) return length === 4;
  if (type === TYPE_AAAA) return length === 16;
  if (type === TYPE_TXT) return stringsEndAt(message, offset, end);
  const nameAt = nameOffsetInData(type);
  if (nameAt === undefined) return true;
  if (nameAt >= length) return false;
  const nameEnd = endOfName(message, offset + nameAt);
  return type === TYPE_NSEC ? windowsEndAt(message, nameEnd, end) : nameEnd === end;
}

/** An empty TXT record is one empty string (RFC 6763 §6.1). */
function stringsEndAt(message: Uint8Array, offset: number, end: number): boolean {
  let at = offset;
  while (at < end) at += 1 + (message[at] as number);
  return at === end;
}

function windowsEndAt(message: Uint8Array, offset: number, end: number): boolean {
  if (offset < 0) return false;
  let at = offset;
  while (at + 1 < end) {
    const length = message[at + 1] as number;
    if (length === 0 || length > WINDOW_LIMIT_BYTES) return false;
    at += 2 + length;
  }
  return at === end;
}

// Reads DNS messages in place (RFC 1035 §4). `load` walks a message once and checks every length, count and pointer.
// Later calls walk the same bytes again without checks or copies. A reader is a cursor over questions and records; one
// reader serves all datagrams.

/** Sections in the order of a message. */
const QUESTION = 0;
const ANSWER = 1;
const AUTHORITY = 2;
const ADDITIONAL = 3;
type Section = typeof QUESTION | typeof ANSWER | typeof AUTHORITY | typeof ADDITIONAL;

export class DnsReader {
  readonly #nothing = new Uint8Array(0);
  #bytes: Uint8Array = this.#nothing;
  #position = 0;
  #remaining = 0;

  /** Entry at the cursor: section, type, class without its top bit, and that bit. */
  section: Section = QUESTION;
  type = 0;
  classCode = 0;
  /** In a record: cache flush. In a question: unicast answer requested. */
  hasTopBit = false;
  /** 0 for a question. */
  ttlSeconds = 0;
  #nameOffset = 0;
  #dataOffset = 0;
  #dataLength = 0;

  /**
   * Load a message. The caller keeps ownership and must not change the bytes while the reader uses them.
   * @returns false if it is malformed, exceeds a limit, or is not multicast DNS (RFC 6762 §18.3, §18.11)
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
  /** Number of entries of a section, from the header. */
  count(section: Section): number {
    return this.#uint16(4 + 2 * section);
  }

  /** Moves the cursor before the first entry. */
  rewind(): void {
    this.#position = HEADER_BYTES;
    this.section = QUESTION;
    this.#remaining = this.count(QUESTION);
  }

  /** Moves the cursor to the next question or record. @returns false past the last one */
  next(): boolean {
    while (this.#remaining === 0) {
      if (this.section === ADDITIONAL) return false;
      this.section = (this.section + 1) as Section;
      this.#remaining = this.count(this.section);
    }
    this.#remaining--;
    return this.#readEntry();
  }

  /** Whether the entry's name is `name`. */
  nameIs(name: DomainName): boolean {
    return nameMatches(this.#bytes, this.#nameOffset, name);
  }

  /** An uncompressed copy of the entry's name. */
  copyName(): DomainName {
    return expandName(this.#bytes, this.#nameOffset);
  }

  /** Whether the record's data equals `data`, which is uncompressed. Names in it compare without case. */
  dataIs(data: Uint8Array): boolean {
    const nameAt = nameOffsetInData(this.type);
    if (nameAt === undefined) return data.length === this.#dataLength && this.#startsWith(data, data.length);
    if (!this.#startsWith(data, nameAt)) return false;
    if (!nameMatches(this.#bytes, this.#dataOffset + nameAt, data, nameAt)) return false;
    const ourRest = data.subarray(endOfName(data, nameAt));
    const rest = this.#bytes.subarray(this.#endOfDataName(nameAt), this.#dataOffset + this.#dataLength);
    return rest.length === ourRest.length && rest.every((byte, index) => byte === ourRest[index]);
  }

  /** A copy of the record's data, with names in it uncompressed (RFC 6762 §8.2). */
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

  /** RFC 2181 §8: a TTL with its top bit set counts as 0. */
  #ttlAt(offset: number): number {
    const high = this.#uint16(offset);
    return high >= 0x8000 ? 0 : high * 0x10000 + this.#uint16(offset + 2);
  }
}

export class DnsWriter {
  readonly #bytes = new Uint8Array(MESSAGE_LIMIT_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #suffixes = new Uint16Array(SUFFIX_LIMIT);
  #suffixCount = 0;
  #length = 0;
  #isFull = false;

  /** Starts a new message. */
  begin(id: number, flags: number): void {
    this.#bytes.fill(0, 0, HEADER_BYTES);
    this.#view.setUint16(0, id);
    this.#view.setUint16(2, flags);
    this.#length = HEADER_BYTES;
    this.#suffixCount = 0;
  }

  /** Sets further flags in the current message. */
  addFlags(flags: number): void {
    this.#view.setUint16(2, this.#view.getUint16(2) | flags);
  }

  /** Number of entries written to a section so far. */
  count(section: Section): number {
    return this.#view.getUint16(4 + 2 * section);
  }

  /** The message so far: a view that the next `begin` overwrites. */
  get message(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes a question. @returns false if it does not fit */
  question(name: DomainName, type: number, wantsUnicast: boolean): boolean {
    const start = this.#start();
    this.#name(name, 0, true);
    this.#uint16(type);
    this.#uint16(wantsUnicast ? CLASS_IN | CLASS_TOP_BIT : CLASS_IN);
    return this.#finish(start, QUESTION);
  }

  /** Writes a record. Callers must write sections in order. @returns false if it does not fit */
  record(section: Exclude<Section, typeof QUESTION>, record: ResourceRecord, form: RecordForm): boolean {
    const start = this.#start();
    this.#name(record.name, 0, true);
    this.#uint16(record.type);
    this.#uint16(form.cacheFlush ? CLASS_IN | CLASS_TOP_BIT : CLASS_IN);
    this.#uint16(form.ttlSeconds >>> 16);
    this.#uint16(form.ttlSeconds & 0xffff);
    const lengthAt = this.#length;
    this.#uint16(0);
    this.#data(record, form.plainService !== true || record.type !== TYPE_SRV);
    if (!this.#isFull) this.#view.setUint16(lengthAt, this.#length - lengthAt - 2);
    return this.#finish(start, section);
  }

  #data(record: ResourceRecord, compress: boolean): void {
    const nameAt = nameOffsetInData(record.type) ?? record.data.length;
    this.#append(record.data, 0, nameAt);
    if (nameAt === record.data.length) return;
    const nameEnd = this.#name(record.data, nameAt, compress);
    this.#append(record.data, nameEnd, record.data.length);
  }

  /** Writes the name at `offset` of `bytes`. @returns the end of the name in `bytes` */
  #name(bytes: DomainName, offset: number, compress: boolean): number {
    const start = this.#length;
    let pointer = -1;
    let at = offset;
    while (bytes[at] !== 0) {
      if (compress && pointer < 0) pointer = this.#find(bytes, at);
      const length = 1 + (bytes[at] as number);
      if (pointer < 0) this.#append(bytes, at, at + length);
      at += length;
    }
    const labelsEnd = this.#length;
    if (pointer < 0) this.#append(bytes, at, at + 1);
    else this.#uint16((POINTER_MARK << 8) | pointer);
    this.#remember(start, labelsEnd);
    return at + 1;
  }

  /** Offset in the message of the name at `at` of `bytes`, -1 if the message does not contain it. */
  #find(bytes: DomainName, at: number): number {
    for (let index = 0; index < this.#suffixCount; index++) {
      const offset = this.#suffixes[index] as number;
      if (nameMatches(this.#bytes, offset, bytes, at)) return offset;
    }
    return -1;
  }

  /** Records the suffixes of a complete name. Earlier, a comparison would run into bytes of the previous message. */
  #remember(start: number, labelsEnd: number): void {
    if (this.#isFull) return;
    for (
      let at = start;
      at < labelsEnd && this.#suffixCount < SUFFIX_LIMIT;
      at += 1 + (this.#bytes[at] as number)
    )
      this.#suffixes[this.#suffixCount++] = at;
  }

  #append(bytes: Uint8Array, start: number, end: number): void {
    if (!this.#hasRoom(end - start)) return;
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length += end - start;
  }

  #uint16(value: number): void {
    if (!this.#hasRoom(2)) return;
    this.#view.setUint16(this.#length, value);
    this.#length += 2;
  }

  #hasRoom(bytes: number): boolean {
    if (this.#length + bytes > MESSAGE_LIMIT_BYTES) this.#isFull = true;
    return !this.#isFull;
  }

  #start(): number {
    this.#isFull = false;
    return this.#length;
  }

  #finish(start: number, section: Section): boolean {
    if (this.#isFull) {
      this.#length = start;
      while (this.#suffixCount > 0 && (this.#suffixes[this.#suffixCount - 1] as number) >= start)
        this.#suffixCount--;
      return false;
    }
    this.#view.setUint16(4 + 2 * section, this.count(section) + 1);
    return true;
  }
}
