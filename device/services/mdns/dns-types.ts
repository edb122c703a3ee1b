/** Numbers of the DNS wire format that multicast DNS uses (RFC 1035 §3.2, RFC 3596, RFC 2782, RFC 4034). */

export const TYPE_A = 1;
export const TYPE_NS = 2;
export const TYPE_CNAME = 5;
export const TYPE_PTR = 12;
export const TYPE_TXT = 16;
export const TYPE_AAAA = 28;
export const TYPE_SRV = 33;
export const TYPE_NSEC = 47;
/** Asks for every type (QTYPE `*`). */
export const TYPE_ANY = 255;

export const CLASS_IN = 1;
export const CLASS_ANY = 255;
/** Top bit of a class: cache flush on a record, unicast answer wanted on a question (RFC 6762 §18.12-13). */
export const CLASS_TOP_BIT = 0x8000;

export const HEADER_BYTES = 12;
export const FLAGS_QUERY = 0;
export const FLAG_RESPONSE = 0x8000;
/** Response and authoritative answer (RFC 6762 §18.4). */
export const FLAGS_RESPONSE = 0x8400;
export const FLAG_TRUNCATED = 0x0200;
/** Operation and response code: other than 0 is not multicast DNS (RFC 6762 §18.3 and §18.11). */
export const FLAGS_FOREIGN = 0x780f;

/** A length byte from here on is the first half of a pointer (RFC 1035 §4.1.4). */
export const POINTER_MARK = 0xc0;

/** Where a domain name starts in the data of a type, `undefined` where there is none. */
export function nameOffsetInData(type: number): number | undefined {
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
