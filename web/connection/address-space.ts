/**
 * The address space of an address, as browsers' Local Network Access defines it
 * (https://wicg.github.io/local-network-access/): a page from https may request a console on plain HTTP if it declares
 * beforehand that the console is local.
 */

export type AddressSpace = "loopback" | "local";

const LOOPBACK = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const PRIVATE_OR_LINK_LOCAL =
  /^(?:10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.\d+\.\d+|\[f[cd][0-9a-f:]+\]|\[fe[89ab][0-9a-f:]+\])$/;

/** @param hostname as `URL` writes it. Consoles that are not on this machine are in its network. */
export function addressSpaceOf(hostname: string): AddressSpace {
  return LOOPBACK.test(hostname) ? "loopback" : "local";
}

/** Whether a browser sees that the address is near before it has asked anybody, so that it is no mixed content to it. */
export function isNearByName(hostname: string): boolean {
  return LOOPBACK.test(hostname) || PRIVATE_OR_LINK_LOCAL.test(hostname) || hostname.endsWith(".local");
}

/** Whether the page came encrypted and the target is not, which is where browsers draw a line. */
export function isMixed(pageProtocol: string, target: URL): boolean {
  return pageProtocol === "https:" && target.protocol === "http:";
}
