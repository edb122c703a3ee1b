/** A service as a browser reports it: the records of an instance combined in the shape of mdns-js. */

import { formatAddress } from "../identity/ip-address.js";
import { TYPE_A, TYPE_AAAA, TYPE_SRV, TYPE_TXT } from "./dns-types.js";
import { type DomainName, nameText } from "./domain-name.js";
import type { Question } from "./open-question.js";
import type { RecordCache } from "./record-cache.js";
import { textStrings } from "./resource-record.js";
import { ServiceType } from "./service-type.js";

export interface ServiceData {
  readonly addresses: readonly string[];
  /** The service and no subtype; all a wildcard browser knows. */
  readonly type: readonly ServiceType[];
  /** `Console-1A2B._svc._tcp.local` */
  readonly fullname: string;
  readonly port?: number;
  /** `key=value` strings. */
  readonly txt?: readonly string[];
  /** `Console-1A2B.local` */
  readonly host?: string;
}

/**
 * Puts an instance together.
 * @param missing takes what is still to be asked for
 * @returns `undefined` while something is missing, or for a type that is none
 */
export function readService(
  instance: DomainName,
  type: ServiceType,
  cache: RecordCache,
  missing: Question[],
): ServiceData | undefined {
  if (type.isWildcard()) return readType(instance);
  const service = cache.find(instance, TYPE_SRV);
  const text = cache.find(instance, TYPE_TXT);
  if (service === undefined) missing.push({ name: instance, type: TYPE_SRV });
  if (text === undefined) missing.push({ name: instance, type: TYPE_TXT });
  if (service === undefined) return undefined;
  const host = service.data.subarray(6);
  const addresses = [...cache.all(host, TYPE_A), ...cache.all(host, TYPE_AAAA)];
  if (addresses.length === 0) missing.push({ name: host, type: TYPE_A }, { name: host, type: TYPE_AAAA });
  if (text === undefined || addresses.length === 0) return undefined;
  return {
    addresses: addresses.map(({ data }) => formatAddress(data)),
    type: [type],
    fullname: nameText(instance),
    port: ((service.data[4] as number) << 8) | (service.data[5] as number),
    txt: textStrings(text.data),
    host: nameText(host),
  };
}

/** An entry of the list of types (RFC 6763 §9); what is not written like a type is left out. */
function readType(name: DomainName): ServiceData | undefined {
  const fullname = nameText(name);
  try {
    return { addresses: [], type: [new ServiceType(fullname)], fullname };
  } catch {
    return undefined; // any host may put anything there
  }
}
