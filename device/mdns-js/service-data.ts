/** A service as a browser reports it: the records of an instance, combined in the format of mdns-js. */
import { formatAddress } from "../services/identity/identity.js";
import { TYPE_A, TYPE_AAAA, TYPE_SRV, TYPE_TXT } from "../services/mdns/dns-message.js";
import { type DomainName, nameText } from "../services/mdns/domain-name.js";
import { ServiceType } from "../services/mdns/service-type.js";
import type { CachedRecord, RecordCache } from "./record-cache.js";

/** Strings reported of a TXT record. A console's has two; a record of 1300 bytes can hold 650 strings of one byte. */
const TEXT_STRINGS_LIMIT = 32;

/** Offsets in the data of an SRV record (RFC 2782): priority, weight, port, then the host's name. */
const PORT_OFFSET = 4;
const HOST_OFFSET = 6;

export interface Question {
  readonly name: DomainName;
  readonly type: number;
}

export interface ServiceData {
  /** IPv4, then IPv6 addresses of the host. For a type that the wildcard finds: the host that announced it first. */
  readonly addresses: readonly string[];
  /** The browser's type; for the wildcard, the type that was found. */
  readonly type: readonly ServiceType[];
  /** `Console-1A2B._svc._tcp.local`; for the wildcard, `_svc._tcp.local`. */
  readonly fullname: string;
  /** Missing for the wildcard, as are `txt` and `host`. */
  readonly port?: number;
  /** The first {@link TEXT_STRINGS_LIMIT} `key=value` strings. */
  readonly txt?: readonly string[];
  /** `Console-1A2B.local` */
  readonly host?: string;
}

/**
 * Combines the cached records of an instance.
 * @param missing receives the questions for the missing records
 * @returns `undefined` while a record is missing
 */
export function readInstance(
  instance: DomainName,
  type: ServiceType,
  cache: RecordCache,
  missing: Question[],
): ServiceData | undefined {
  const service = cache.find(instance, TYPE_SRV);
  const text = cache.find(instance, TYPE_TXT);
  if (service === undefined) missing.push({ name: instance, type: TYPE_SRV });
  if (text === undefined) missing.push({ name: instance, type: TYPE_TXT });
  if (service === undefined) return undefined;
  const host = hostOf(service);
  const addresses = [...cache.all(host, TYPE_A), ...cache.all(host, TYPE_AAAA)];
  if (addresses.length === 0) missing.push({ name: host, type: TYPE_A }, { name: host, type: TYPE_AAAA });
  if (text === undefined || addresses.length === 0) return undefined;
  return {
    addresses: addresses.map(({ data }) => formatAddress(data)),
    type: [type],
    fullname: nameText(instance),
    port: ((service.data[PORT_OFFSET] as number) << 8) | (service.data[PORT_OFFSET + 1] as number),
    txt: textStrings(text.data),
    host: nameText(host),
  };
}

/** Reads an entry of the list of types (RFC 6763 §9). @returns `undefined` if it is not a valid service type */
export function readType({ data, from }: CachedRecord): ServiceData | undefined {
  const fullname = nameText(data);
  try {
    return { addresses: [from], type: [new ServiceType(fullname)], fullname };
  } catch {
    return undefined; // hosts can announce any name there
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
