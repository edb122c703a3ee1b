/** The key by which client addresses are rate-limited. */
import { isIPv6 } from "node:net";

/**
 * An IPv4 address itself; of IPv6 the first 64 bits, since a host with one address has its whole network (RFC 6177).
 * @param address as reported by the socket or the proxy
 */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIPv6(plain) ? `${network(plain)}::/64` : plain;
}

function network(address: string): string {
  const [head = "", tail] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - groups.length - after.length;
  return [...groups, ...Array<string>(Math.max(zeros, 0)).fill("0"), ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
