/**
 * Resource records as values: a name, a type, a time to live, and the data in wire form with its names
 * uncompressed. So a comparison of data is one of bytes, which is what a tiebreak is (RFC 6762 §8.2).
 */
import { TYPE_A, TYPE_AAAA, TYPE_NSEC, TYPE_PTR, TYPE_SRV, TYPE_TXT } from "./dns-types.js";
import type { DomainName } from "./domain-name.js";
import {
  HOST_TTL_SECONDS,
  OTHER_TTL_SECONDS,
  TEXT_LIMIT_BYTES,
  TEXT_STRING_LIMIT_BYTES,
  TEXT_STRINGS_LIMIT,
} from "./limits.js";

export interface ResourceRecord {
  readonly name: DomainName;
  readonly type: number;
  readonly ttlSeconds: number;
  /** Ours alone: probed for, announced with the cache-flush bit (RFC 6762 §2). */
  readonly isUnique: boolean;
  readonly data: Uint8Array;
}

/** A where `address` has 4 bytes, AAAA where it has 16. */
export function addressRecord(host: DomainName, address: Uint8Array): ResourceRecord {
  const type = address.length === 4 ? TYPE_A : TYPE_AAAA;
  return { name: host, type, ttlSeconds: HOST_TTL_SECONDS, isUnique: true, data: address };
}

/** A shared record that leads from a service type to an instance, or from the list of types to a type. */
export function pointerRecord(name: DomainName, target: DomainName): ResourceRecord {
  return { name, type: TYPE_PTR, ttlSeconds: OTHER_TTL_SECONDS, isUnique: false, data: target };
}

/** Host and port of an instance (RFC 2782); priority and weight are 0. */
export function serviceRecord(instance: DomainName, host: DomainName, port: number): ResourceRecord {
  const data = new Uint8Array(6 + host.length);
  data[4] = port >> 8;
  data[5] = port & 0xff;
  data.set(host, 6);
  return { name: instance, type: TYPE_SRV, ttlSeconds: HOST_TTL_SECONDS, isUnique: true, data };
}

/** What an instance says of itself; `data` is from {@link textData}. */
export function textRecord(instance: DomainName, data: Uint8Array): ResourceRecord {
  return { name: instance, type: TYPE_TXT, ttlSeconds: OTHER_TTL_SECONDS, isUnique: true, data };
}

/** Says that `name` has records of `types` (all below 256) and of no other (RFC 6762 §6.1). */
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
 * `key=value` strings as the data of a TXT record (RFC 6763 §6). None at all is one empty string.
 * @throws {RangeError} for a key that is empty or holds `=`, a string over 255 bytes, or over 1300 in all
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

/** The first {@link TEXT_STRINGS_LIMIT} strings of a TXT record, empty ones left out. */
export function textStrings(data: Uint8Array): string[] {
  const decoder = new TextDecoder();
  const strings: string[] = [];
  for (let at = 0; at < data.length && strings.length < TEXT_STRINGS_LIMIT; at += 1 + (data[at] as number))
    if (data[at] !== 0) strings.push(decoder.decode(data.subarray(at + 1, at + 1 + (data[at] as number))));
  return strings;
}

/** Same data of the same type under a name that the caller has compared. */
export function sameData(one: ResourceRecord, other: ResourceRecord): boolean {
  return one.type === other.type && compareBytes(one.data, other.data) === 0;
}

/** Below, at or above 0 as `one` sorts before, with or after `other`; bytes are unsigned. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const shared = Math.min(one.length, other.length);
  for (let index = 0; index < shared; index++) {
    const difference = (one[index] as number) - (other[index] as number);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}
