/** The console's name on its network, conversion of IP addresses, and the test whether an address is its own. */
import type { Interfaces } from "../../ports/network.js";

// The name of a console on its network (docs/spec/mdns.md#instance-name).

/** `Console-1A2B` for a MAC that ends in `1a:2b`; the digits are upper case. */
export function consoleName(mac: string): string {
  return `Console-${mac.replaceAll(":", "").slice(-4).toUpperCase()}`;
}

// IP addresses as text and as bytes (RFC 6943 §3.1.1 strict dotted form, RFC 4291 §2.2, RFC 5952).

const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9A-Fa-f]{1,4}$/;

/** Limit of an address with its zone, in characters: a longer text is not parsed. */
const TEXT_LIMIT = 64;

/** @returns four bytes, or `undefined` unless `text` is a dotted IPv4 address */
export function parseIpv4(text: string): Uint8Array | undefined {
  if (text.length > TEXT_LIMIT) return undefined;
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => DECIMAL.test(part) && Number(part) < 256))
    return undefined;
  return Uint8Array.from(parts, Number);
}

/**
 * Parse an IPv6 address. The last two groups may be a dotted IPv4 address (RFC 4291 §2.2); a zone is ignored.
 * @returns sixteen bytes, or `undefined` unless `text` is an IPv6 address
 */
export function parseIpv6(text: string): Uint8Array | undefined {
  if (text.length > TEXT_LIMIT) return undefined;
  const [address = ""] = text.split("%");
  const tail = address.lastIndexOf(":") + 1;
  const ipv4 = address.includes(".") ? parseIpv4(address.slice(tail)) : undefined;
  const bytes = parseGroups(ipv4 ? `${address.slice(0, tail)}0:0` : address);
  if (ipv4) bytes?.set(ipv4, 12);
  return bytes;
}

function parseGroups(address: string): Uint8Array | undefined {
  const halves = address.split("::");
  if (halves.length > 2) return undefined;
  const [front, back] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const groups = [...(front ?? []), ...(back ?? [])];
  const missing = 8 - groups.length;
  if (back === undefined ? missing !== 0 : missing < 1) return undefined;
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  groups.splice(front?.length ?? 0, 0, ...Array<string>(missing).fill("0"));
  return Uint8Array.from(groups.flatMap(groupBytes));
}

function groupBytes(group: string): number[] {
  const value = Number(`0x${group}`);
  return [value >> 8, value & 0xff];
}

/** Format an IPv4 address of 4 bytes, or an IPv6 address of 16. */
export function formatAddress(bytes: Uint8Array): string {
  return bytes.length === 4 ? bytes.join(".") : formatIpv6(bytes);
}

/** RFC 5952 §4: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
function formatIpv6(bytes: Uint8Array): string {
  const groups: string[] = [];
  for (let at = 0; at < 16; at += 2)
    groups.push((((bytes[at] as number) << 8) | (bytes[at + 1] as number)).toString(16));
  for (let length = 8; length >= 2; length--)
    for (let start = 0; start + length <= 8; start++)
      if (groups.slice(start, start + length).every((group) => group === "0"))
        return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
  return groups.join(":");
}

/**
 * IPv6 prefixes after which the last four bytes are an IPv4 address: compatible (`::1` and `::` included), mapped and
 * translated (RFC 4291 §2.5.5, RFC 2765 §2.1), NAT64 (RFC 6052 §2.1, RFC 8215).
 */
const EMBEDDINGS: readonly string[] = Object.freeze([
  "0:0:0:0:0:0",
  "0:0:0:0:0:ffff",
  "0:0:0:0:ffff:0",
  "64:ff9b:0:0:0:0",
  "64:ff9b:1:0:0:0",
]);

/** First group of a 6to4 address; the next four bytes are an IPv4 address (RFC 3056 §2). */
const SIX_TO_FOUR = 0x2002;

/** Whether the numeric `address` leads to the console itself. Of host names, only `localhost` counts. */
export function isOwnAddress(address: string, network: Interfaces): boolean {
  const bytes = parseIpv4(address) ?? parseIpv6(address);
  if (!bytes) return address.toLowerCase() === "localhost";
  return bytes.length === 4 ? isOwnIpv4(bytes, network) : isOwnIpv6(bytes, network);
}

/** Whether the address is in 0.0.0.0/8 or 127.0.0.0/8, which all mean this host (RFC 6890 §2.2.2). */
function isHere(ipv4: Uint8Array): boolean {
  return ipv4[0] === 0 || ipv4[0] === 127;
}

function isOwnIpv4(bytes: Uint8Array, network: Interfaces): boolean {
  return isHere(bytes) || network.hasAddress(formatAddress(bytes));
}

function isOwnIpv6(bytes: Uint8Array, network: Interfaces): boolean {
  if (network.hasAddress(formatAddress(bytes))) return true;
  const groups = Array.from({ length: 6 }, (_, index) => groupOf(bytes, index));
  if (groups[0] === SIX_TO_FOUR) return isOwnIpv4(bytes.subarray(2, 6), network);
  const last = bytes.subarray(12);
  const beginning = groups.map((group) => group.toString(16)).join(":");
  // A translator of this network may use any prefix; such an address leads here only if it ends in our IPv4 address.
  return EMBEDDINGS.includes(beginning) ? isOwnIpv4(last, network) : network.hasAddress(formatAddress(last));
}

function groupOf(bytes: Uint8Array, index: number): number {
  return ((bytes[2 * index] as number) << 8) | (bytes[2 * index + 1] as number);
}
