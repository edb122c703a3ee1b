/**
 * Which addresses are the console itself, for connections on behalf of others: loopback, "any", and those of all of its
 * interfaces, as they are and as translators embed them in IPv6. Callers check an address after names are resolved, and
 * once more when the connection is open (`apps/guest-connections.ts`).
 */
import type { Interfaces } from "../../ports/network.js";
import { formatAddress, parseIpv4, parseIpv6 } from "./ip-address.js";

/**
 * Beginnings behind which the last four bytes are an IPv4 address: compatible (`::1` and `::` are such, too), mapped
 * and translated (RFC 4291 §2.5.5, RFC 2765 §2.1), NAT64 (RFC 6052 §2.1, RFC 8215).
 */
const EMBEDDINGS: readonly string[] = Object.freeze([
  "0:0:0:0:0:0",
  "0:0:0:0:0:ffff",
  "0:0:0:0:ffff:0",
  "64:ff9b:0:0:0:0",
  "64:ff9b:1:0:0:0",
]);

/** RFC 3056 §2: an IPv4 address follows. */
const SIX_TO_FOUR = 0x2002;

/** Whether `address`, numeric, leads to the console itself. A name does not, but for `localhost`. */
export function isOwnAddress(address: string, network: Interfaces): boolean {
  const bytes = parseIpv4(address) ?? parseIpv6(address);
  if (!bytes) return address.toLowerCase() === "localhost";
  return bytes.length === 4 ? isOwnIpv4(bytes, network) : isOwnIpv6(bytes, network);
}

/** RFC 6890 §2.2.2: all of 0.0.0.0/8 is this host, and all of 127.0.0.0/8. */
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
  // A translator of this network may have any beginning, but only where it ends in our address does it lead here.
  return EMBEDDINGS.includes(beginning) ? isOwnIpv4(last, network) : network.hasAddress(formatAddress(last));
}

function groupOf(bytes: Uint8Array, index: number): number {
  return ((bytes[2 * index] as number) << 8) | (bytes[2 * index + 1] as number);
}
