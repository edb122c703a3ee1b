/** Parses HTTP addresses that a hub sends, such as `https://hub.example/api/v1/catalog/tetris/download`. */
import { Fault, quoted } from "../protocol/fault.js";
import { type HubAddress, parseHubAddress } from "../protocol/hub/hub-address.js";

/** The server of a request. */
export interface WebOrigin {
  readonly isSecure: boolean;
  /** Name or numeric address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** `http://hub.example:8080` */
  readonly origin: string;
}

export interface WebAddress extends WebOrigin {
  /** Path and query in origin form (RFC 9112 §3.2.1). */
  readonly target: string;
}

/** Path of a hub's API; it occurs only once in an address below it. */
const API = "/api/v1/";
const LENGTH_LIMIT = 2048;
const ORIGIN = /^https?:\/\/[^/?#]+/i;
/** Printable ASCII without the characters that are invalid in a URI (RFC 3986 §2), and without a fragment. */
const TARGET = /^[/?](?:[!$-;=?-Z_a-z~[\]]*)$/;

/** @throws {Fault} `bad_parameter` for an invalid address */
export function parseWebAddress(text: string): WebAddress {
  const origin = text.length <= LENGTH_LIMIT ? ORIGIN.exec(text)?.[0] : undefined;
  if (origin === undefined) throw notAnAddress(text);
  const rest = text.slice(origin.length) || "/";
  if (!TARGET.test(rest)) throw notAnAddress(text);
  const { isSecure, host, port, origin: canonical } = parseHubAddress(origin);
  return { isSecure, host, port, origin: canonical, target: rest.startsWith("/") ? rest : `/${rest}` };
}

/**
 * Moves an address below a hub's API to the address at which the console reaches the hub: a hub may have several, and
 * one behind a proxy may not know them.
 * @returns `undefined` unless the address is below a hub's API
 */
export function atHub({ target }: WebAddress, hub: HubAddress): WebAddress | undefined {
  const path = target.split("?", 1)[0] as string;
  const start = path.lastIndexOf(API);
  if (start < 0) return undefined;
  const { isSecure, host, port, origin, basePath } = hub;
  return { isSecure, host, port, origin, target: basePath + target.slice(start) };
}

/** The address of a download and its relation to the hub. */
export interface DownloadAddress {
  readonly address: WebAddress;
  /** `api`: below the hub's API, which receives the token; `hub`: elsewhere at its origin; `other`: anywhere else. */
  readonly location: "api" | "hub" | "other";
}

/**
 * Classifies the address of a download (docs/spec/device-hub.md#download-origin).
 * @throws {Fault} `bad_parameter` for an invalid address
 */
export function downloadAddress(text: string, hub: HubAddress): DownloadAddress {
  const written = parseWebAddress(text);
  const below = atHub(written, hub);
  if (below) return { address: below, location: "api" };
  return { address: written, location: written.origin === hub.origin ? "hub" : "other" };
}

/** Value of the field `Host` (RFC 9110 §7.2). */
export function authorityOf({ origin }: WebOrigin): string {
  return origin.slice(origin.indexOf("//") + 2);
}

function notAnAddress(text: string): Fault {
  return new Fault("bad_parameter", `${quoted(text)} is not an HTTP or HTTPS address`);
}
