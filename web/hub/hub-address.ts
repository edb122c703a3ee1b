/**
 * The address of the page's hub: as the user types it, and as this browser stores it with the account's token until
 * the user signs out.
 */
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

export interface KeptHub {
  readonly address: string;
  readonly token?: string;
}

/** As `localStorage`, which a browser may refuse or empty at any time. */
export interface Keeper {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const KEY = "svc/hub";

export function readKeptHub(keeper: Keeper): KeptHub | undefined {
  try {
    const { address, token } = Object(JSON.parse(keeper.getItem(KEY) ?? "null"));
    if (typeof address !== "string") return undefined;
    return { address, ...(typeof token === "string" && { token }) };
  } catch {
    return undefined; // nothing is kept that can be used
  }
}

/** @returns whether it will be there the next time */
export function keepHub(keeper: Keeper, hub: KeptHub | undefined): boolean {
  try {
    if (hub) keeper.setItem(KEY, JSON.stringify(hub));
    else keeper.removeItem(KEY);
    return true;
  } catch {
    return false; // private windows keep nothing: the hub is used for as long as the page is open
  }
}
