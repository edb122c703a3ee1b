/** The forms of a request target (RFC 9112 §3.2), and the path and parameters in one. */
import { Fault } from "../../../protocol/fault.js";

export interface RequestTarget {
  /** In origin form, or `*`. */
  readonly target: string;
  readonly host: string | undefined;
}

export interface PathAndParameters {
  /** Percent-decoded. */
  readonly path: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const SCHEME = "http://";
const AUTHORITY_END = /[/?]/;
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/**
 * Brings any form of target to the origin form.
 * @param host what the Host field says; an absolute target overrides it (RFC 9112 §3.2.2)
 * @throws {Fault} `bad_request`, `not_implemented` for CONNECT
 */
export function resolveTarget(method: string, target: string, host: string | undefined): RequestTarget {
  if (target.includes("#")) throw new Fault("bad_request", "A request target takes no fragment");
  if (method === "CONNECT") throw new Fault("not_implemented", "Cannot open a tunnel");
  if (target.startsWith("/")) return { target, host };
  if (target === "*" && method === "OPTIONS") return { target, host };
  if (target.slice(0, SCHEME.length).toLowerCase() === SCHEME)
    return fromAbsolute(target.slice(SCHEME.length));
  throw new Fault("bad_request", 'A request target begins with "/" or "http://"');
}

function fromAbsolute(rest: string): RequestTarget {
  const end = rest.search(AUTHORITY_END);
  const host = (end < 0 ? rest : rest.slice(0, end)).toLowerCase();
  if (host === "" || host.includes("@"))
    throw new Fault("bad_request", "A request target names a host and no user");
  const path = end < 0 ? "" : rest.slice(end);
  return { target: path.startsWith("/") ? path : `/${path}`, host };
}

/**
 * Splits a target in origin form and decodes it. A `+` in the query is a space, as in what forms and
 * URLSearchParams write; a plus sign travels as `%2B`.
 * @throws {Fault} `bad_encoding` for what is not percent-encoded UTF-8, `duplicate_parameter`
 */
export function parseTarget(target: string): PathAndParameters {
  const question = target.indexOf("?");
  if (question < 0) return { path: decode(target), parameters: NO_PARAMETERS };
  return { path: decode(target.slice(0, question)), parameters: parseQuery(target.slice(question + 1)) };
}

function parseQuery(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) throw new Fault("duplicate_parameter", `Parameter "${name}" is there twice`);
    parameters.set(name, equals < 0 ? "" : decodeText(pair.slice(equals + 1)));
  }
  return parameters;
}

function decodeText(text: string): string {
  return decode(text.includes("+") ? text.replaceAll("+", " ") : text);
}

function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Fault("bad_encoding", `"${text}" is not percent-encoded UTF-8`, { cause });
  }
}
