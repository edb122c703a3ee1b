/** Which addresses are the console itself, for whoever connects to somewhere on behalf of others. */
import type { NetworkInterface } from "../../ports/network.js";

const LOOPBACK = /^(127\.|::1$|::ffff:127\.|0\.0\.0\.0$|::$)/;

/** Whether `address`, numeric, leads to the console that has joined `network`. */
export function isOwnAddress(address: string, { address: ipv4, addressIpv6 }: NetworkInterface): boolean {
  return (
    LOOPBACK.test(address) || address === ipv4 || address === `::ffff:${ipv4}` || address === addressIpv6
  );
}
