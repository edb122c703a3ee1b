/** Parses the address of a hub, as typed by a user, into the addresses of its endpoints. */
import { Fault, quoted } from "../fault.js";

export interface HubAddress {
  /** `https` and `wss`. */
  readonly isSecure: boolean;
  /** A name or a numeric address; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** `http://hub.example:8080`: the start of every URL of the hub. */
  readonly origin: string;
  /** `/api/v1`, after the path prefix of a proxy if there is one. */
  readonly apiPath: string;
  /** {@link apiPath} without `/api/v1`. The push channel is at `{basePath}/ws/device/{token}`. */
  readonly basePath: string;
}

const API_PATH = "/api/v1";
const LENGTH_LIMIT = 255;
const SCHEME_END = "://";
/**
 * Patterns of the parts: an address of a hub has no user, query or fragment. The address is split before its parts are
 * matched, because a single pattern for all of it takes exponential time on XS for a text that nearly matches.
 */
const BRACKETED = /^[0-9a-f:.]+$/;
const PLAIN = /^[a-z0-9._-]+$/;
const ALPHANUMERIC = /^[a-z0-9]$/;
const PORT = /^[0-9]{1,5}$/;
const PATH = /^[A-Za-z0-9/._~-]*$/;

/**
 * Parse an address such as `http://hub.example:8080`, with or without `/api/v1` at the end
 * (docs/spec/hub-api.md#base).
 * @throws {Fault} `bad_parameter` for anything else
 */
export function parseHubAddress(text: string): HubAddress {
  const hostAt = text.indexOf(SCHEME_END) + SCHEME_END.length;
  if (text.length > LENGTH_LIMIT || hostAt < SCHEME_END.length) throw notAnAddress(text);
  // Scheme and host are case-insensitive (RFC 3986 §6.2.2.1).
  const scheme = text.slice(0, hostAt - SCHEME_END.length).toLowerCase();
  const slash = text.indexOf("/", hostAt);
  const pathAt = slash < 0 ? text.length : slash;
  const parts = hostAndPort(text.slice(hostAt, pathAt).toLowerCase());
  const isSecure = scheme === "https";
  const usual = isSecure ? 443 : 80;
  const port = parts?.port ?? usual;
  const path = text.slice(pathAt);
  if (!parts || !(isSecure || scheme === "http") || port < 1 || port > 65535 || !PATH.test(path))
    throw notAnAddress(text);
  const { host, isBracketed } = parts;
  const authority = (isBracketed ? `[${host}]` : host) + (port === usual ? "" : `:${port}`);
  const trimmed = withoutEnd(path, "/");
  const basePath = trimmed.endsWith(API_PATH) ? trimmed.slice(0, -API_PATH.length) : trimmed;
  return { isSecure, host, port, origin: `${scheme}://${authority}`, apiPath: basePath + API_PATH, basePath };
}

interface HostAndPort {
  readonly host: string;
  readonly isBracketed: boolean;
  readonly port: number | undefined;
}

/** Split `authority` into host and port. @returns `undefined` if either is invalid */
function hostAndPort(authority: string): HostAndPort | undefined {
  const isBracketed = authority.startsWith("[");
  const hostEnd = isBracketed ? authority.indexOf("]") : authority.indexOf(":");
  const host = authority.slice(isBracketed ? 1 : 0, hostEnd < 0 ? authority.length : hostEnd);
  const rest = hostEnd < 0 ? "" : authority.slice(isBracketed ? hostEnd + 1 : hostEnd);
  if (isBracketed ? hostEnd < 0 || !BRACKETED.test(host) : !isHostName(host)) return undefined;
  if (rest === "") return { host, isBracketed, port: undefined };
  const isPort = rest.startsWith(":") && PORT.test(rest.slice(1));
  return isPort ? { host, isBracketed, port: Number(rest.slice(1)) } : undefined;
}

function isHostName(text: string): boolean {
  const isBounded = ALPHANUMERIC.test(text.charAt(0)) && ALPHANUMERIC.test(text.charAt(text.length - 1));
  return isBounded && PLAIN.test(text);
}

function withoutEnd(text: string, end: string): string {
  let trimmed = text;
  while (trimmed.endsWith(end)) trimmed = trimmed.slice(0, -end.length);
  return trimmed;
}

function notAnAddress(text: string): Fault {
  return new Fault(
    "bad_parameter",
    `${quoted(text)} is not the address of a hub, such as "https://hub.example" or "http://192.0.2.1:8080"`,
  );
}
