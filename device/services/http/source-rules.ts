/**
 * Keeps foreign web pages from controlling the console without its user's knowledge (docs/spec/http.md#foreign-pages).
 *
 * Closes two attacks. A page whose own name resolves to the console's address (DNS rebinding) is same-origin to the
 * browser, but its Host reveals it: only names that no attacker can own are accepted. The Origin of any other page
 * reveals it.
 */
import { Fault } from "../../../protocol/fault.js";
import { quoted } from "../../../protocol/quoted.js";

/** What a head must have for its source to be checked. */
export interface Source {
  /** In lower case. */
  readonly host: string | undefined;
  readonly fields: { single(name: string): string | undefined };
}

export interface SourceRules {
  /** Origins such as `https://console.example`, as a browser writes them. */
  readonly allowedOrigins: readonly string[];
  /** Port of the pages that the console serves itself, where it is not the port addressed (WebSocket). */
  readonly pagePort?: number;
}

const HTTP_DEFAULT_PORT = 80;
/** A name of DNS (RFC 1035 §2.3.4) and a port. XS keeps a state for each character that a pattern repeats. */
const HOST_LIMIT_CHARACTERS = 262;
const HOST_FORM = /^(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(?::[0-9]{0,5})?$/;
const IPV4_LITERAL = /^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}$/;

/**
 * @returns the origin to answer with CORS fields, `undefined` where the request is not of another origin
 * @throws {Fault} `foreign_host`, `foreign_origin`, `bad_request` for a Host that is none
 */
export function checkSource(source: Source, rules: SourceRules): string | undefined {
  const name = source.host === undefined ? undefined : hostName(source.host);
  const origin = source.fields.single("origin")?.toLowerCase();
  if (origin === undefined || (name !== undefined && isOwn(origin, source.host, name, rules)))
    return undefined;
  if (rules.allowedOrigins.includes(origin)) return origin;
  throw new Fault("foreign_origin", `Pages of ${quoted(origin)} may not use this console`);
}

/** The host without its port, when it is one that only the console itself can have. */
function hostName(host: string): string {
  const name = host.length <= HOST_LIMIT_CHARACTERS ? HOST_FORM.exec(host)?.[1] : undefined;
  if (name === undefined && host !== "") throw new Fault("bad_request", `${quoted(host)} is not a host`);
  if (name === undefined || !isLocal(name))
    throw new Fault("foreign_host", `${quoted(host)} is not an address, "localhost" or a ".local" name`);
  return name;
}

function isLocal(name: string): boolean {
  const relative = name.endsWith(".") ? name.slice(0, -1) : name;
  return (
    relative === "localhost" ||
    (relative.endsWith(".local") && relative !== ".local") ||
    name.startsWith("[") ||
    IPV4_LITERAL.test(name)
  );
}

/** A page of the console has the origin of the host it was fetched from; `null` never matches. */
function isOwn(origin: string, host: string | undefined, name: string, { pagePort }: SourceRules): boolean {
  if (origin === `http://${host}`) return true;
  if (pagePort === undefined) return false;
  return origin === (pagePort === HTTP_DEFAULT_PORT ? `http://${name}` : `http://${name}:${pagePort}`);
}
