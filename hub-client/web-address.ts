/** Addresses of things on a hub, or wherever it sends us: `https://hub.example/api/v1/catalog/tetris/download`. */
import { Fault, quoted } from "../protocol/fault.js";
import { type HubAddress, parseHubAddress } from "../protocol/hub/hub-address.js";

/** Where a request goes. */
export interface WebOrigin {
  readonly isSecure: boolean;
  /** A name or a numeric address; IPv6 without its brackets. */
  readonly host: string;
  readonly port: number;
  /** `http://hub.example:8080` */
  readonly origin: string;
}

export interface WebAddress extends WebOrigin {
  /** Path and query, as a request line has them (RFC 9112 §3.2.1). */
  readonly target: string;
}

/** What is below the API of a hub has it in its path; below it, no path of a hub has it again. */
const API = "/api/v1/";
const LENGTH_LIMIT = 2048;
const ORIGIN = /^https?:\/\/[^/?#]+/i;
/** Printable ASCII but the characters that no URI has (RFC 3986 §2), and no fragment. */
const TARGET = /^[/?](?:[!$-;=?-Z_a-z~[\]]*)$/;

/** @throws {Fault} `bad_parameter` for what is no such address */
export function parseWebAddress(text: string): WebAddress {
  const origin = text.length <= LENGTH_LIMIT ? ORIGIN.exec(text)?.[0] : undefined;
  if (origin === undefined) throw notAnAddress(text);
  const rest = text.slice(origin.length) || "/";
  if (!TARGET.test(rest)) throw notAnAddress(text);
  const { isSecure, host, port, origin: canonical } = parseHubAddress(origin);
  return { isSecure, host, port, origin: canonical, target: rest.startsWith("/") ? rest : `/${rest}` };
}

/**
 * The same where we reach the hub ourselves: a hub may be known by several addresses, and one behind a proxy need not
 * know under which.
 * @returns `undefined` for what is not below the API of a hub
 */
export function atHub({ target }: WebAddress, hub: HubAddress): WebAddress | undefined {
  const path = target.split("?", 1)[0] as string;
  const start = path.lastIndexOf(API);
  if (start < 0) return undefined;
  const { isSecure, host, port, origin, basePath } = hub;
  return { isSecure, host, port, origin, target: basePath + target.slice(start) };
}

/** Where a file is that a hub sends a console to. */
export interface DownloadAddress {
  readonly address: WebAddress;
  /** `api`: below the hub's API, where it is told the token; `hub`: elsewhere at its origin; `other`: anywhere else. */
  readonly place: "api" | "hub" | "other";
}

/**
 * Where the file of a download comes from (docs/spec/device-hub.md#download-origin).
 * @throws {Fault} `bad_parameter` for what is no such address
 */
export function downloadAddress(text: string, hub: HubAddress): DownloadAddress {
  const written = parseWebAddress(text);
  const below = atHub(written, hub);
  if (below) return { address: below, place: "api" };
  return { address: written, place: written.origin === hub.origin ? "hub" : "other" };
}

/** What the field Host says (RFC 9110 §7.2). */
export function authorityOf({ origin }: WebOrigin): string {
  return origin.slice(origin.indexOf("//") + 2);
}

function notAnAddress(text: string): Fault {
  return new Fault("bad_parameter", `${quoted(text)} is not an HTTP or HTTPS address`);
}
