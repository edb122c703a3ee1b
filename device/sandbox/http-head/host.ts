/**
 * The host rule (docs/spec/http.md#foreign-pages): a page whose own name resolves to the console's address is same-origin
 * to the browser, but its Host reveals it. Only hosts that no attacker can own are local.
 */
import { load8, load16, load32 } from "../memory.js";
import {
  CLOSING_BRACKET,
  COLON,
  DASH,
  DOT,
  isDigit,
  isLowerCase,
  OPENING_BRACKET,
  UNDERSCORE,
} from "./characters.js";
import { HOST_FOREIGN, HOST_INVALID, HOST_LOCAL } from "./layout.js";

/** A DNS name (RFC 1035 §2.3.4) and a port. */
const HOST_LIMIT_CHARACTERS: i32 = 262;
const PORT_LIMIT_DIGITS: i32 = 5;
const LOCALHOST_LENGTH: i32 = 9;
const LOCAL_LENGTH: i32 = 6;
const OCTETS: i32 = 4;

/** @returns the bits of the summary for the host, in lower case, from `start` to `end` */
export function hostBits(start: i32, end: i32): i32 {
  if (start === end) return HOST_FOREIGN;
  if (end - start > HOST_LIMIT_CHARACTERS) return HOST_INVALID;
  const nameEnd = endOfName(start, end);
  if (nameEnd < 0 || !isPort(nameEnd, end)) return HOST_INVALID;
  return isLocal(start, nameEnd) ? HOST_LOCAL : HOST_FOREIGN;
}

/** End of the name or the address; -1 if there is none. */
function endOfName(start: i32, end: i32): i32 {
  let at = start;
  if (load8(start) !== OPENING_BRACKET) {
    while (at < end && isNameByte(load8(at))) at++;
    return at > start ? at : -1;
  }
  at++;
  while (at < end && isAddressByte(load8(at))) at++;
  return at > start + 1 && at < end && load8(at) === CLOSING_BRACKET ? at + 1 : -1;
}

function isNameByte(byte: i32): boolean {
  return isLowerCase(byte) || isDigit(byte) || byte === DOT || byte === DASH || byte === UNDERSCORE;
}

/** Of an address of IPv6. */
function isAddressByte(byte: i32): boolean {
  return isDigit(byte) || (byte >= 0x61 && byte <= 0x66) || byte === COLON || byte === DOT;
}

/** Whether nothing or a port, perhaps empty, is between. */
function isPort(start: i32, end: i32): boolean {
  if (start === end) return true;
  if (load8(start) !== COLON || end - start - 1 > PORT_LIMIT_DIGITS) return false;
  for (let at = start + 1; at < end; at++) if (!isDigit(load8(at))) return false;
  return true;
}

function isLocal(start: i32, end: i32): boolean {
  if (load8(start) === OPENING_BRACKET) return true;
  const nameEnd = load8(end - 1) === DOT ? end - 1 : end;
  return isLocalhost(start, nameEnd) || endsInLocal(start, nameEnd) || isAddress(start, end);
}

function isLocalhost(start: i32, end: i32): boolean {
  return (
    end - start === LOCALHOST_LENGTH &&
    load32(start) === 0x61636f6c && // "loca"
    load32(start + 4) === 0x736f686c && // "lhos"
    load8(start + 8) === 0x74
  );
}

function endsInLocal(start: i32, end: i32): boolean {
  return (
    end - start > LOCAL_LENGTH &&
    load32(end - 6) === 0x636f6c2e && // ".loc"
    load16(end - 2) === 0x6c61 // "al"
  );
}

/** Whether it is an address of IPv4: no other spelling, since resolvers differ about those. */
function isAddress(start: i32, end: i32): boolean {
  let at = start;
  for (let octet = 1; octet <= OCTETS; octet++) {
    const first = at;
    let value = 0;
    while (at < end && at - first < 3 && isDigit(load8(at))) {
      value = value * 10 + load8(at) - 0x30;
      at++;
    }
    if (at === first || value > 255 || (at - first > 1 && load8(first) === 0x30)) return false;
    if (octet === OCTETS) break;
    if (at >= end || load8(at) !== DOT) return false;
    at++;
  }
  return at === end;
}
