/**
 * Resource records (RFC 1035 §3.2): constructors for this host's records, the schedule of each owned record, and the
 * cache of records from peers.
 */
import type { Random } from "../../../protocol/ports/runtime.js";
import {
  type DnsReader,
  HOST_TTL_SECONDS,
  type ResourceRecord,
  TYPE_A,
  TYPE_AAAA,
  TYPE_NSEC,
  TYPE_PTR,
  TYPE_SRV,
  TYPE_TXT,
} from "./dns-message.js";
import { type DomainName, sameName } from "./domain-name.js";

/** RFC 6763 §6.1: length of one string of a TXT record. */
const TEXT_STRING_LIMIT_BYTES = 255;

/** RFC 6763 §6.2: a TXT record over 1300 bytes would not fit a frame together with the others. */
const TEXT_LIMIT_BYTES = 1300;

/** Records in the cache of one browser: about 16 consoles with four each. */
const CACHED_RECORD_LIMIT = 64;

/** Bytes of those records, names included: peers choose the length of each, up to a whole datagram. */
const CACHED_BYTES_LIMIT = 16 * 1024;

/** Strings reported of a TXT record. Ours has four; a record of 1300 bytes can hold 650 strings of one byte. */
const TEXT_STRINGS_LIMIT = 32;

/** RFC 6762 §10: TTL of all records except those of {@link HOST_TTL_SECONDS}. */
const OTHER_TTL_SECONDS = 4500;

/** RFC 6762 §6: minimum interval between two multicasts of a record; the second constant applies if one defends it. */
const MULTICAST_INTERVAL_MS = 1000;

const PROBE_ANSWER_INTERVAL_MS = 250;

/** RFC 6762 §10.1 and §10.2: a record that was withdrawn or replaced lives one more second. */
const GOODBYE_DELAY_MS = 1000;

// Random delays, so that hosts which receive the same query do not answer at the same time.

export class RandomDelay {
  readonly #random: Random;
  readonly #bytes = new Uint8Array(2);

  constructor(random: Random) {
    this.#random = random;
  }

  /** A random integer from `lowMs` through `highMs`, evenly distributed. */
  between(lowMs: number, highMs: number): number {
    this.#random.getRandomValues(this.#bytes);
    const share = (((this.#bytes[0] as number) << 8) | (this.#bytes[1] as number)) / 0x10000;
    return lowMs + Math.floor(share * (highMs - lowMs + 1));
  }
}

/** Address record of a host: A for an `address` of 4 bytes, AAAA for 16. */
export function addressRecord(host: DomainName, address: Uint8Array): ResourceRecord {
  const type = address.length === 4 ? TYPE_A : TYPE_AAAA;
  return { name: host, type, ttlSeconds: HOST_TTL_SECONDS, isUnique: true, data: address };
}

/** Shared PTR record: from a service type to an instance, or from the list of types to a type. */
export function pointerRecord(name: DomainName, target: DomainName): ResourceRecord {
  return { name, type: TYPE_PTR, ttlSeconds: OTHER_TTL_SECONDS, isUnique: false, data: target };
}

/** SRV record: host and port of an instance (RFC 2782); priority and weight are 0. */
export function serviceRecord(instance: DomainName, host: DomainName, port: number): ResourceRecord {
  const data = new Uint8Array(6 + host.length);
  data[4] = port >> 8;
  data[5] = port & 0xff;
  data.set(host, 6);
  return { name: instance, type: TYPE_SRV, ttlSeconds: HOST_TTL_SECONDS, isUnique: true, data };
}

/** TXT record of an instance. @param data from {@link textData} */
export function textRecord(instance: DomainName, data: Uint8Array): ResourceRecord {
  return { name: instance, type: TYPE_TXT, ttlSeconds: OTHER_TTL_SECONDS, isUnique: true, data };
}

/** NSEC record: `name` has records of `types` (all below 256) and of no other type (RFC 6762 §6.1). */
export function denialRecord(name: DomainName, types: readonly number[], ttlSeconds: number): ResourceRecord {
  const bitmapBytes = (Math.max(...types) >> 3) + 1;
  const data = new Uint8Array(name.length + 2 + bitmapBytes);
  data.set(name);
  data[name.length + 1] = bitmapBytes;
  for (const type of types) {
    const at = name.length + 2 + (type >> 3);
    data[at] = (data[at] as number) | (0x80 >> (type & 7));
  }
  return { name, type: TYPE_NSEC, ttlSeconds, isUnique: true, data };
}

/**
 * Encodes `key=value` strings as the data of a TXT record (RFC 6763 §6). Without pairs it is one empty string.
 * @throws {RangeError} for a key that is empty or contains `=`, a string over 255 bytes, or data over 1300 bytes
 */
export function textData(pairs: Readonly<Record<string, string>>): Uint8Array {
  const encoder = new TextEncoder();
  const strings = Object.entries(pairs).map(([key, value]) => encoder.encode(`${checkedKey(key)}=${value}`));
  if (strings.length === 0) return new Uint8Array(1);
  const data = new Uint8Array(strings.reduce((total, string) => total + 1 + string.length, 0));
  let at = 0;
  for (const string of strings) {
    if (string.length > TEXT_STRING_LIMIT_BYTES)
      throw new RangeError(
        `Cannot put ${string.length} bytes in a TXT string: ${TEXT_STRING_LIMIT_BYTES} fit`,
      );
    data[at] = string.length;
    data.set(string, at + 1);
    at += 1 + string.length;
  }
  if (data.length > TEXT_LIMIT_BYTES)
    throw new RangeError(`Cannot put ${data.length} bytes in a TXT record: ${TEXT_LIMIT_BYTES} fit`);
  return data;
}

function checkedKey(key: string): string {
  if (key === "" || key.includes("=")) throw new RangeError(`Cannot use "${key}" as a key of a TXT record`);
  return key;
}

/** The first {@link TEXT_STRINGS_LIMIT} non-empty strings of a TXT record. */
export function textStrings(data: Uint8Array): string[] {
  const decoder = new TextDecoder();
  const strings: string[] = [];
  for (let at = 0; at < data.length && strings.length < TEXT_STRINGS_LIMIT; at += 1 + (data[at] as number))
    if (data[at] !== 0) strings.push(decoder.decode(data.subarray(at + 1, at + 1 + (data[at] as number))));
  return strings;
}

/** Whether type and data are equal. Does not compare names. */
export function sameData(one: ResourceRecord, other: ResourceRecord): boolean {
  return one.type === other.type && compareBytes(one.data, other.data) === 0;
}

/** Compares unsigned bytes in lexicographic order. @returns below, at or above 0, as for `sort` */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index++) {
    const difference = (one[index] as number) - (other[index] as number);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

// An owned record with its schedule: the time of its last multicast, and the time at which the next one is due.
// Implements the timing rules (RFC 6762 §6, §7.2, §7.4); senders follow `dueMs`.

const NEVER = Number.POSITIVE_INFINITY;
/** Value of `#heldFor` if several queriers want the record, or if no known answers will follow. */
const NO_QUERIER = "";

export class OwnedRecord {
  readonly record: ResourceRecord;
  #lastMulticastMs = Number.NEGATIVE_INFINITY;
  #dueMs = NEVER;
  /** Address of the only querier, if its next known answers can make this answer unnecessary. */
  #heldFor = NO_QUERIER;

  constructor(record: ResourceRecord) {
    this.record = record;
  }

  /** Time at which to multicast the record, `Infinity` for never. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Schedules a multicast at `atMs`, but not within a second of the last one. */
  want(atMs: number, heldFor: string = NO_QUERIER): void {
    this.#heldFor = this.#dueMs === NEVER || this.#heldFor === heldFor ? heldFor : NO_QUERIER;
    this.#dueMs = Math.min(this.#dueMs, Math.max(atMs, this.#lastMulticastMs + MULTICAST_INTERVAL_MS));
  }

  /** Schedules a multicast that answers a probe: allowed 250 ms after the last one (RFC 6762 §6). */
  defend(atMs: number): void {
    this.#heldFor = NO_QUERIER;
    this.#dueMs = Math.min(this.#dueMs, Math.max(atMs, this.#lastMulticastMs + PROBE_ANSWER_INTERVAL_MS));
  }

  /** Postpones the multicast: `querier` will send more known answers (RFC 6762 §7.2). */
  extend(querier: string, untilMs: number): void {
    if (this.isHeldFor(querier)) this.#dueMs = Math.max(this.#dueMs, untilMs);
  }

  isHeldFor(querier: string): boolean {
    return this.#dueMs !== NEVER && this.#heldFor === querier;
  }

  /** Cancels the scheduled multicast. */
  cancel(): void {
    this.#dueMs = NEVER;
    this.#heldFor = NO_QUERIER;
  }

  /** Whether to include the record in a message at `nowMs`: it is due, or scheduled and allowed to go early. */
  goesAlong(nowMs: number): boolean {
    if (this.#dueMs <= nowMs) return true;
    return this.#dueMs !== NEVER && this.#heldFor === NO_QUERIER && this.mayBeMulticast(nowMs);
  }

  /** Whether the last multicast is at least a second ago. */
  mayBeMulticast(nowMs: number): boolean {
    return nowMs - this.#lastMulticastMs >= MULTICAST_INTERVAL_MS;
  }

  /** Whether the last multicast is less than a quarter of the TTL ago, so that caches are fresh (RFC 6762 §5.4). */
  isFresh(nowMs: number): boolean {
    return nowMs - this.#lastMulticastMs < this.record.ttlSeconds * 250;
  }

  /** Notes that the record was multicast. */
  sent(nowMs: number): void {
    this.#lastMulticastMs = nowMs;
    this.cancel();
  }
}

// Cache of the records that a browser has received (RFC 6762 §5.2, §10): handles refresh, expiry, goodbye and the
// cache-flush bit. A plain list suffices for a few dozen records.

/** RFC 6762 §5.2: a record is queried again at 80, 85, 90 and 95 % of its TTL, each up to 2 % later. */
const REFRESH_PERCENT = Object.freeze([80, 85, 90, 95]);

export interface CachedRecord {
  readonly name: DomainName;
  readonly type: number;
  readonly data: Uint8Array;
  /** TTL as received. */
  ttlSeconds: number;
  receivedMs: number;
  expiresMs: number;
  /** Time of the next refresh query, `Infinity` if there is none. */
  refreshMs: number;
  refreshes: number;
}

export class RecordCache {
  readonly #delay: RandomDelay;
  #records: CachedRecord[] = [];

  constructor(delay: RandomDelay) {
    this.#delay = delay;
  }

  /** Earliest time at which a record expires or needs a query, `Infinity` while the cache is empty. */
  get dueMs(): number {
    return this.#records.reduce(
      (due, { expiresMs, refreshMs }) => Math.min(due, expiresMs, refreshMs),
      NEVER,
    );
  }

  all(name: DomainName, type: number): CachedRecord[] {
    return this.#records.filter((record) => record.type === type && sameName(record.name, name));
  }

  find(name: DomainName, type: number): CachedRecord | undefined {
    return this.#records.find((record) => record.type === type && sameName(record.name, name));
  }

  ofType(type: number): CachedRecord[] {
    return this.#records.filter((record) => record.type === type);
  }

  /**
   * Caches the reader's current record. A new record over {@link CACHED_RECORD_LIMIT} or {@link CACHED_BYTES_LIMIT} is
   * dropped.
   */
  put(reader: DnsReader, nowMs: number): void {
    const { type, ttlSeconds } = reader;
    const alike = this.#records.filter((record) => record.type === type && reader.nameIs(record.name));
    const known = alike.find(({ data }) => reader.dataIs(data));
    if (reader.hasTopBit) for (const other of alike) if (other !== known) flush(other, nowMs);
    if (known) this.#renew(known, ttlSeconds, nowMs);
    else if (ttlSeconds > 0 && this.#records.length < CACHED_RECORD_LIMIT) {
      const record = { name: reader.copyName(), type, data: reader.copyData(), ...UNDATED };
      if (this.#byteLength + byteLengthOf(record) > CACHED_BYTES_LIMIT) return;
      this.#renew(record, ttlSeconds, nowMs);
      this.#records.push(record);
    }
  }

  /** Drops the records that are expired or no longer wanted. */
  forget(nowMs: number, isWanted: (record: CachedRecord) => boolean): void {
    this.#records = this.#records.filter((record) => record.expiresMs > nowMs && isWanted(record));
  }

  /** Returns the records whose refresh query is due, and schedules the next refresh of each. */
  takeRefreshes(nowMs: number): CachedRecord[] {
    const due = this.#records.filter(({ refreshMs }) => refreshMs <= nowMs);
    for (const record of due) {
      record.refreshes++;
      record.refreshMs = this.#refreshTime(record);
    }
    return due;
  }

  clear(): void {
    this.#records = [];
  }

  get #byteLength(): number {
    return this.#records.reduce((sum, record) => sum + byteLengthOf(record), 0);
  }

  /** Sets expiry and refresh. After a goodbye (TTL 0) a record lives one second, without refresh (RFC 6762 §10.1). */
  #renew(record: CachedRecord, ttlSeconds: number, nowMs: number): void {
    record.ttlSeconds = ttlSeconds;
    record.receivedMs = nowMs;
    record.expiresMs = nowMs + (ttlSeconds === 0 ? GOODBYE_DELAY_MS : ttlSeconds * 1000);
    record.refreshes = 0;
    record.refreshMs = ttlSeconds === 0 ? NEVER : this.#refreshTime(record);
  }

  #refreshTime(record: CachedRecord): number {
    const percent = REFRESH_PERCENT[record.refreshes];
    if (percent === undefined) return NEVER;
    const spread = this.#delay.between(0, record.ttlSeconds * 20);
    return record.receivedMs + record.ttlSeconds * 10 * percent + spread;
  }
}

function byteLengthOf({ name, data }: Pick<CachedRecord, "name" | "data">): number {
  return name.length + data.length;
}

const UNDATED = Object.freeze({ ttlSeconds: 0, receivedMs: 0, expiresMs: 0, refreshMs: 0, refreshes: 0 });

/** RFC 6762 §10.2: a flushed record lives one more second; records of the last second are not flushed. */
function flush(record: CachedRecord, nowMs: number): void {
  if (nowMs - record.receivedMs <= GOODBYE_DELAY_MS) return;
  record.expiresMs = Math.min(record.expiresMs, nowMs + GOODBYE_DELAY_MS);
  record.refreshMs = NEVER;
}
