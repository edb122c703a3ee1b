/**
 * Writes DNS messages into one buffer (RFC 1035 §4), with names compressed against all earlier ones. An entry that does
 * not fit leaves the message unchanged: the caller sends it and begins the next one.
 */
import type { Section } from "./dns-reader.js";
import { QUESTION } from "./dns-reader.js";
import {
  CLASS_IN,
  CLASS_TOP_BIT,
  HEADER_BYTES,
  nameOffsetInData,
  POINTER_MARK,
  TYPE_SRV,
} from "./dns-types.js";
import { type DomainName, nameMatches } from "./domain-name.js";
import { MESSAGE_LIMIT_BYTES, SUFFIX_LIMIT } from "./limits.js";
import type { ResourceRecord } from "./resource-record.js";

/** How one record is written. */
export interface RecordForm {
  readonly ttlSeconds: number;
  /** Sets the cache-flush bit (RFC 6762 §10.2). */
  readonly cacheFlush: boolean;
  /** RFC 6762 §18.14: legacy resolvers do not take a compressed name within an SRV record. */
  readonly plainService?: boolean;
}

export class DnsWriter {
  readonly #bytes = new Uint8Array(MESSAGE_LIMIT_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #suffixes = new Uint16Array(SUFFIX_LIMIT);
  #suffixCount = 0;
  #length = 0;
  #isFull = false;

  /** Starts a message over. */
  begin(id: number, flags: number): void {
    this.#bytes.fill(0, 0, HEADER_BYTES);
    this.#view.setUint16(0, id);
    this.#view.setUint16(2, flags);
    this.#length = HEADER_BYTES;
    this.#suffixCount = 0;
  }

  /** Adds to the flags of a message that was begun. */
  addFlags(flags: number): void {
    this.#view.setUint16(2, this.#view.getUint16(2) | flags);
  }

  /** Entries of a section so far. */
  count(section: Section): number {
    return this.#view.getUint16(4 + 2 * section);
  }

  /** The message so far: a view that the next `begin` overwrites. */
  get message(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @returns false where it does not fit */
  question(name: DomainName, type: number, wantsUnicast: boolean): boolean {
    const start = this.#start();
    this.#name(name, 0, true);
    this.#uint16(type);
    this.#uint16(wantsUnicast ? CLASS_IN | CLASS_TOP_BIT : CLASS_IN);
    return this.#finish(start, QUESTION);
  }

  /** Sections are written in their order. @returns false where it does not fit */
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

  /** Writes the name at `offset` of `bytes`. @returns where it ends there */
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

  /** Offset of the name that `bytes` holds from `at` on, -1 where none was written yet. */
  #find(bytes: DomainName, at: number): number {
    for (let index = 0; index < this.#suffixCount; index++) {
      const offset = this.#suffixes[index] as number;
      if (nameMatches(this.#bytes, offset, bytes, at)) return offset;
    }
    return -1;
  }

  /** Only once a name is complete: a comparison must not run into bytes of the previous message. */
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
