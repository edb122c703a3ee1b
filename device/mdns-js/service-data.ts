/**
 * The services that the records of a browser make up, and their data in the format of mdns-js. A service refers to its
 * records and is read only when it is reported: strings in a heap take several times the bytes of the records.
 */
import { formatAddress } from "../services/identity/identity.js";
import { TYPE_A, TYPE_AAAA, TYPE_SRV, TYPE_TXT } from "../services/mdns/dns-message.js";
import { type DomainName, nameText } from "../services/mdns/domain-name.js";
import { ServiceType } from "../services/mdns/service-type.js";
import type { CachedRecord, RecordCache } from "./record-cache.js";

/** Strings reported of a TXT record. A console's has two; a record of 1300 bytes can hold 650 strings of one byte. */
const TEXT_STRINGS_LIMIT = 32;

/** Addresses reported of a host. Peers choose their number; one with both families has three or four. */
const ADDRESS_LIMIT = 8;

/** Offsets in the data of an SRV record (RFC 2782): priority, weight, port, then the host's name. */
const PORT_OFFSET = 4;
const HOST_OFFSET = 6;

export interface Question {
  readonly name: DomainName;
  readonly type: number;
}

/** A service of which all records are known. Records are renewed in place, so a service has changed where one is another. */
export interface FoundService {
  /** Its instance; for the wildcard, a type. */
  readonly pointer: CachedRecord;
  /** Missing for the wildcard, as is `text`. */
  readonly service?: CachedRecord;
  readonly text?: CachedRecord;
  readonly addresses: readonly CachedRecord[];
}

/**
 * Finds the records of an instance in the cache.
 * @param missing receives the questions for the missing records
 * @returns `undefined` while a record is missing
 */
export function findService(
  pointer: CachedRecord,
  cache: RecordCache,
  missing: Question[],
): FoundService | undefined {
  const instance = pointer.data;
  const service = cache.find(instance, TYPE_SRV);
  const text = cache.find(instance, TYPE_TXT);
  if (service === undefined) missing.push({ name: instance, type: TYPE_SRV });
  if (text === undefined) missing.push({ name: instance, type: TYPE_TXT });
  if (service === undefined) return undefined;
  const host = hostOf(service);
  const addresses = [...cache.all(host, TYPE_A), ...cache.all(host, TYPE_AAAA)].slice(0, ADDRESS_LIMIT);
  if (addresses.length === 0) missing.push({ name: host, type: TYPE_A }, { name: host, type: TYPE_AAAA });
  return text === undefined || addresses.length === 0 ? undefined : { pointer, service, text, addresses };
}

/** Whether two services consist of the same records. */
export function sameRecords(one: FoundService, other: FoundService): boolean {
  return (
    one.pointer === other.pointer &&
    one.service === other.service &&
    one.text === other.text &&
    one.addresses.length === other.addresses.length &&
    one.addresses.every((address, index) => address === other.addresses[index])
  );
}

export interface ServiceData {
  /** At most 8, IPv4 before IPv6. For the wildcard: the host that announced the type first. */
  readonly addresses: readonly string[];
  /** The browser's type; for the wildcard, the type that was found. */
  readonly type: readonly ServiceType[];
  /** `Console-1A2B._svc._tcp.local`; for the wildcard, `_svc._tcp.local`. */
  readonly fullname: string;
  /** Missing for the wildcard, as are `txt` and `host`. */
  readonly port?: number;
  /** At most 32 `key=value` strings. */
  readonly txt?: readonly string[];
  /** `Console-1A2B.local` */
  readonly host?: string;
}

/**
 * Reads the records of a service, into data of its own.
 * @param type the browser's
 */
export function readService(found: FoundService, type: ServiceType): ServiceData {
  const { pointer, service, text, addresses } = found;
  const fullname = nameText(pointer.data);
  if (service === undefined || text === undefined)
    return { addresses: [pointer.from], type: [new ServiceType(fullname)], fullname };
  return {
    addresses: addresses.map(({ data }) => formatAddress(data)),
    type: [copyOfType(type)],
    fullname,
    port: ((service.data[PORT_OFFSET] as number) << 8) | (service.data[PORT_OFFSET + 1] as number),
    txt: textStrings(text.data),
    host: nameText(hostOf(service)),
  };
}

/**
 * Finds a type in the list of types (RFC 6763 §9).
 * @returns `undefined` unless it is a valid service type: hosts can announce any name there
 */
export function findType(pointer: CachedRecord): FoundService | undefined {
  try {
    new ServiceType(nameText(pointer.data));
    return { pointer, addresses: [] };
  } catch {
    return undefined;
  }
}

/** A copy with the same fields, which no form of a type would keep: text may have given it any subtypes. */
export function copyOfType(type: ServiceType): ServiceType {
  return Object.assign(new ServiceType(), type, { subtypes: [...type.subtypes] });
}

/** Name of the host in an SRV record. */
export function hostOf({ data }: Pick<CachedRecord, "data">): DomainName {
  return data.subarray(HOST_OFFSET);
}

/** The first {@link TEXT_STRINGS_LIMIT} non-empty strings of a TXT record. */
export function textStrings(data: Uint8Array): string[] {
  const decoder = new TextDecoder();
  const strings: string[] = [];
  for (let at = 0; at < data.length && strings.length < TEXT_STRINGS_LIMIT; at += 1 + (data[at] as number))
    if (data[at] !== 0) strings.push(decoder.decode(data.subarray(at + 1, at + 1 + (data[at] as number))));
  return strings;
}
