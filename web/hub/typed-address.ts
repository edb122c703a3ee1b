/** Parses the address of a hub as the user typed it, perhaps without `http://`. */
import { parseHubAddress } from "../../protocol/hub/hub-address.js";

const SCHEME = /^[a-z]+:\/\//i;

/**
 * Without a scheme, a plain name is a hub on the internet, and an address with a port is the user's own hub.
 * @throws {Fault} `bad_parameter`
 */
export function typedAddress(text: string): string {
  const trimmed = text.trim();
  const address = SCHEME.test(trimmed)
    ? trimmed
    : `${/:[0-9]+/.test(trimmed) ? "http" : "https"}://${trimmed}`;
  const { origin, basePath } = parseHubAddress(address);
  return origin + basePath;
}

/** Whether the hub is on this very computer, where no other console can find it by this address. */
export function isThisComputer(address: string): boolean {
  const { host } = parseHubAddress(address);
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
