/** The name of a console on its network (docs/spec/mdns.md#instance-name). */

/** `Console-1A2B` for a MAC that ends in `1a:2b`; the digits are upper case. */
export function consoleName(mac: string): string {
  return `Console-${mac.replaceAll(":", "").slice(-4).toUpperCase()}`;
}
