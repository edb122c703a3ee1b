/** Resource records (RFC 1035 §3.2): constructors for this host's records, and the schedule of each owned record. */
import type { Random } from "../../../protocol/ports/runtime.js";
import {
  HOST_TTL_SECONDS,
  type ResourceRecord,
  TYPE_A,
  TYPE_AAAA,
  TYPE_NSEC,
  TYPE_PTR,
  TYPE_SRV,
  TYPE_TXT,
} from "./dns-message.js";
import type { DomainName } from "./domain-name.js";

/** RFC 6763 §6.1: length of one string of a TXT record. */
const TEXT_STRING_LIMIT_BYTES = 255;

/** RFC 6763 §6.2: a TXT record over 1300 bytes would not fit a frame together with the others. */
const TEXT_LIMIT_BYTES = 1300;

/** RFC 6762 §10: TTL of all records except those of {@link HOST_TTL_SECONDS}. */
const OTHER_TTL_SECONDS = 4500;

/** RFC 6762 §6: minimum interval between two multicasts of a record; the second constant applies if one defends it. */
const MULTICAST_INTERVAL_MS = 1000;

const PROBE_ANSWER_INTERVAL_MS = 250;

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
