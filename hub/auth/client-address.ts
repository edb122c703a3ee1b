/** The client address of a request: the socket's, or the one that a trusted proxy reports. */
import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";

/**
 * Returns the key by which an address is rate-limited.
 *
 * Returns an IPv4 address unchanged, and the first 64 bits of an IPv6 address: a host usually has that whole network
 * (RFC 6177).
 * @param address as reported by the socket or the proxy
 */
export function addressKey(address: string): string {
  if (!address.includes(":")) return address;
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

const WITH_PORT = /^(?:\[([^\]]*)\]|([0-9.]+))(?::[0-9]{1,5})?$/;

/**
 * A proxy appends its client's address to `X-Forwarded-For`; the client may have forged all entries before that. If the
 * proxy's own entry is not an address, the limit applies to the proxy.
 * @param trustsProxy whether the nearest hop is a proxy of the operator's
 */
export function clientAddress(
  request: Pick<IncomingMessage, "headers" | "socket">,
  trustsProxy: boolean,
): string {
  const own = request.socket.remoteAddress ?? "";
  // Node makes `headers` when they are first read, which the fastest answers do without.
  return (trustsProxy && forwardedAddress(request.headers["x-forwarded-for"])) || own;
}

/** Some proxies also write the port. */
function forwardedAddress(field: string | string[] | undefined): string | undefined {
  const nearest = [field].flat().join(",").split(",").at(-1)?.trim() ?? "";
  const [, bracketed, plain] = WITH_PORT.exec(nearest) ?? [];
  const address = bracketed ?? plain ?? nearest;
  return isIP(address) ? address : undefined;
}
