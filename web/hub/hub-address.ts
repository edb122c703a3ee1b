/** Parses the hub address that the user types, and stores it in the browser together with the account's token. */
import { parseHubAddress } from "../../protocol/hub/hub-address.js";

const SCHEME = /^[a-z]+:\/\//i;

/**
 * Completes a typed address. Without a scheme, an address with a port is the user's own hub, on http; a plain name is
 * a hub on the internet, on https.
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

/** Whether the address is this computer itself: a console cannot reach the hub by it. */
export function isThisComputer(address: string): boolean {
  const { host } = parseHubAddress(address);
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

export interface KeptHub {
  readonly address: string;
  readonly token?: string;
}

/** The part of `localStorage` that is used here. Any method can throw, and stored values can vanish at any time. */
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
    return undefined; // storage is blocked, or holds something else
  }
}

/** @param hub `undefined` deletes the stored hub. @returns whether the browser has stored the change */
export function keepHub(keeper: Keeper, hub: KeptHub | undefined): boolean {
  try {
    if (hub) keeper.setItem(KEY, JSON.stringify(hub));
    else keeper.removeItem(KEY);
    return true;
  } catch {
    return false; // a private window, for example: the hub stays in use while the page is open
  }
}
