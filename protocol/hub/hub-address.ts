/** Addresses of a hub, made from the one that people type. */
import { Fault } from "../fault.js";
import { quoted } from "../quoted.js";

export interface HubAddress {
  /** `https` and `wss`. */
  readonly isSecure: boolean;
  /** A name or a numeric address; IPv6 without its brackets. */
  readonly host: string;
  readonly port: number;
  /** `http://hub.example:8080`: what every address of the hub begins with. */
  readonly origin: string;
  /** `/api/v1`, behind whatever a proxy has put before it. */
  readonly apiPath: string;
  /** The same without `/api/v1`: the push channel is at `{basePath}/ws/device/{token}`. */
  readonly basePath: string;
}

const API_PATH = "/api/v1";
/** scheme, bracketed or plain host, port, path. Nothing else is in the address of a hub: no user, query or fragment. */
const ADDRESS =
  /^(https?):\/\/(?:\[([0-9a-f:.]+)\]|([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::([0-9]{1,5}))?(\/[A-Za-z0-9/._~-]*)?$/;
const LENGTH_LIMIT = 255;

/**
 * Reads `http://hub.example:8080`, with or without `/api/v1` at its end (document 2 writes it with).
 * @throws {Fault} `bad_parameter` for anything else
 */
export function parseHubAddress(text: string): HubAddress {
  const match = text.length <= LENGTH_LIMIT ? ADDRESS.exec(lowerCaseHead(text)) : null;
  if (!match) throw notAnAddress(text);
  const [, scheme, bracketed, plain, digits, path = ""] = match;
  const isSecure = scheme === "https";
  const host = bracketed ?? (plain as string);
  const usual = isSecure ? 443 : 80;
  const port = digits === undefined ? usual : Number(digits);
  if (port < 1 || port > 65535) throw notAnAddress(text);
  const authority = (bracketed === undefined ? host : `[${host}]`) + (port === usual ? "" : `:${port}`);
  const trimmed = withoutEnd(path, "/");
  const basePath = trimmed.endsWith(API_PATH) ? trimmed.slice(0, -API_PATH.length) : trimmed;
  return { isSecure, host, port, origin: `${scheme}://${authority}`, apiPath: basePath + API_PATH, basePath };
}

/** Scheme and host may be typed in either case (RFC 3986 §6.2.2.1). */
function lowerCaseHead(text: string): string {
  const slash = text.indexOf("/", text.indexOf("//") + 2);
  return slash < 0 ? text.toLowerCase() : text.slice(0, slash).toLowerCase() + text.slice(slash);
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
