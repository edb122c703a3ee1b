/**
 * Converts a request head to an open exchange or an error: checks source and token, handles OPTIONS and expectations,
 * and opens the endpoint. Independent of the connection.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import type { Clock } from "../../../protocol/ports/runtime.js";
import { publisherTexts } from "../../../protocol/signature/statements.js";
import type { Api, Exchange, JsonAnswer, Request } from "../api/request.js";
import { parseTarget, pathOf, type RequestFields, type RequestHead } from "./request-head.js";

/** Wrong tokens from one address within a window before it is blocked (docs/spec/http.md#auth-failures). */
const TOKEN_FAILURE_LIMIT = 10;

const TOKEN_FAILURE_WINDOW_MS = 60_000;

/** Addresses whose failures are counted; the oldest is dropped for a new one. */
const TOKEN_ADDRESS_LIMIT = 16;

// Prevents foreign web pages from controlling the console (docs/spec/http.md#foreign-pages).
//
// Blocks two attacks. A page whose own name resolves to the console's address (DNS rebinding) is same-origin to the
// browser, but its Host reveals it: only names that no attacker can own are accepted. Any other page is revealed by its
// Origin.

export interface SourceRules {
  /** Origins such as `https://console.example`, as a browser writes them. */
  readonly allowedOrigins: readonly string[];
  /** Port of the console's own pages, if it differs from the requested port (WebSocket). */
  readonly pagePort?: number;
}

const HTTP_DEFAULT_PORT = 80;
/**
 * @returns the origin for CORS fields; `undefined` for a same-origin request
 * @throws {Fault} `foreign_host`, `foreign_origin`, `bad_request` for an invalid Host
 */
export function checkSource(fields: RequestFields, rules: SourceRules): string | undefined {
  if (!fields.isHostLocal) throw foreignHost(fields);
  const origin = fields.single("origin")?.toLowerCase();
  if (origin === undefined || isOwn(origin, fields.host, rules)) return undefined;
  if (rules.allowedOrigins.includes(origin)) return origin;
  throw new Fault("foreign_origin", `Pages of ${quoted(origin)} may not use this console`);
}

/** An attacker can own the host. */
function foreignHost({ host = "", isHostValid }: RequestFields): Fault {
  if (!isHostValid) return new Fault("bad_request", `${quoted(host)} is not a host`);
  return new Fault("foreign_host", `${quoted(host)} is not an address, "localhost" or a ".local" name`);
}

/** A page of the console has the origin of the host it was fetched from; `null` never matches. */
function isOwn(origin: string, host: string | undefined, { pagePort }: SourceRules): boolean {
  if (host === undefined) return false;
  if (origin === `http://${host}`) return true;
  if (pagePort === undefined) return false;
  const name = withoutPort(host);
  return origin === (pagePort === HTTP_DEFAULT_PORT ? `http://${name}` : `http://${name}:${pagePort}`);
}

/** @param host a valid one; colons in an IPv6 address are within brackets */
function withoutPort(host: string): string {
  const colon = host.indexOf(":", host.indexOf("]") + 1);
  return colon < 0 ? host : host.slice(0, colon);
}

// Field lines for pages of the listed origins (Fetch standard, CORS protocol; Private Network Access).

const PREFLIGHT_LINES =
  "access-control-allow-methods: GET, HEAD, POST\r\n" +
  "access-control-allow-headers: authorization, content-type, x-svc-signature\r\n" +
  "access-control-max-age: 600\r\n";
const PRIVATE_NETWORK_LINE = "access-control-allow-private-network: true\r\n";

/** Fields of every answer to a page of `origin`, errors included, so that it can read them (docs/spec/http.md#cors). */
function corsFieldLines(origin: string): string {
  return `access-control-allow-origin: ${origin}\r\naccess-control-expose-headers: allow, retry-after\r\nvary: Origin\r\n`;
}

/** Whether this is a CORS preflight, which carries no credentials. */
function isPreflight(head: RequestHead): boolean {
  return head.method === "OPTIONS" && head.fields.single("access-control-request-method") !== undefined;
}

/** Fields of the answer to a preflight, besides {@link corsFieldLines}. */
function preflightFieldLines(head: RequestHead): string {
  const asksForPrivateNetwork = head.fields.hasToken("access-control-request-private-network", "true");
  return asksForPrivateNetwork ? PREFLIGHT_LINES + PRIVATE_NETWORK_LINE : PREFLIGHT_LINES;
}

// Bearer authentication and rate limit when `CONFIG_SVC_HTTP_AUTH` is on (docs/spec/http.md#auth), shared by HTTP and
// WebSocket, so that both count together.
//
// Counts only wrong tokens: a request without a token is not a guess.

interface BearerAuthenticatorOptions {
  readonly isRequired: boolean;
  /** Read at each request, since the token can be replaced. */
  readonly token: { readonly value: string };
  readonly clock: Clock;
}

interface Failures {
  readonly address: string;
  readonly sinceMs: number;
  count: number;
}

const SCHEME = "bearer ";

export class BearerAuthenticator {
  readonly #options: BearerAuthenticatorOptions;
  /** Oldest first, since each entry begins a window of the same length. */
  #failures: Failures[] = [];

  constructor(options: BearerAuthenticatorOptions) {
    this.#options = options;
  }

  get isRequired(): boolean {
    return this.#options.isRequired;
  }

  /**
   * Checks the token of a request.
   * @param address of the client
   * @param presented the token in the request, `undefined` without one
   * @throws {Fault} `unauthorized`, `too_many_attempts` with `retry_after_s`
   */
  check(address: string | undefined, presented: string | undefined): void {
    if (!this.#options.isRequired) return;
    const nowMs = this.#options.clock.uptimeMs();
    const failures = this.#failuresOf(address ?? "", nowMs);
    if (failures && failures.count >= TOKEN_FAILURE_LIMIT) throw tooMany(failures, nowMs);
    if (presented === undefined) throw new Fault("unauthorized", "The bearer token is missing");
    if (isEqual(presented, this.#options.token.value)) return;
    if (failures) failures.count++;
    else this.#remember({ address: address ?? "", sinceMs: nowMs, count: 1 });
    throw new Fault("unauthorized", "The bearer token is wrong");
  }

  /**
   * Like {@link check}, without counting wrong tokens.
   * @throws {Fault} `unauthorized`
   */
  require(presented: string | undefined): void {
    if (this.#options.isRequired && !this.isHeldBy(presented))
      throw new Fault("unauthorized", "The bearer token is missing or wrong");
  }

  /** Whether the request has the current token, even if none is required. Does not count wrong tokens. */
  isHeldBy(presented: string | undefined): boolean {
    return presented !== undefined && isEqual(presented, this.#options.token.value);
  }

  #failuresOf(address: string, nowMs: number): Failures | undefined {
    this.#failures = this.#failures.filter(({ sinceMs }) => nowMs - sinceMs < TOKEN_FAILURE_WINDOW_MS);
    return this.#failures.find((failures) => failures.address === address);
  }

  #remember(failures: Failures): void {
    if (this.#failures.length >= TOKEN_ADDRESS_LIMIT) this.#failures.shift();
    this.#failures.push(failures);
  }
}

/** The token in an Authorization field (RFC 6750 §2.1), `undefined` for other schemes. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization?.slice(0, SCHEME.length).toLowerCase() === SCHEME
    ? authorization.slice(SCHEME.length).trim()
    : undefined;
}

function tooMany({ sinceMs }: Failures, nowMs: number): Fault {
  const waitS = Math.ceil((sinceMs + TOKEN_FAILURE_WINDOW_MS - nowMs) / 1000);
  return new Fault("too_many_attempts", `Too many wrong tokens; try again in ${waitS} s`, {
    details: { retry_after_s: waitS },
  });
}

/** Compares in constant time, wherever the tokens differ (docs/spec/http.md#auth-compare). */
function isEqual(presented: string, token: string): boolean {
  let difference = presented.length ^ token.length;
  for (let at = 0; at < token.length; at++)
    difference |= (presented.charCodeAt(at) || 0) ^ token.charCodeAt(at);
  return difference === 0;
}

interface RequestGuardOptions {
  readonly api: Api;
  readonly rules: SourceRules;
  readonly bearer: BearerAuthenticator;
}

/** Decides from its head what becomes of a request. */
export interface Guard {
  /** @param address of the client */
  open(head: RequestHead, address: string | undefined): Opening;
}

/** An exchange, or the failure to answer with; and field lines for the answer. */
export interface Opening {
  readonly exchange: Exchange | undefined;
  readonly failure?: unknown;
  readonly fieldLines: string;
}

/** An answer without a body. */
const NO_CONTENT: JsonAnswer = Object.freeze({ status: 204, body: null });

const NOTHING: Exchange = Object.freeze({
  ignoresBody: true,
  write() {},
  end: () => NO_CONTENT,
  abort() {},
});

/** Methods of the whole server (`OPTIONS *`, RFC 9110 §9.3.7). */
const ALL_METHODS: readonly string[] = Object.freeze(["GET", "POST"]);

/** The guard of the management API. */
export class RequestGuard implements Guard {
  readonly #options: RequestGuardOptions;

  constructor(options: RequestGuardOptions) {
    this.#options = options;
  }

  open(head: RequestHead, address: string | undefined): Opening {
    let fieldLines = "";
    try {
      const origin = checkSource(head.fields, this.#options.rules);
      if (origin !== undefined) fieldLines = corsFieldLines(origin);
      if (origin !== undefined && isPreflight(head))
        return { exchange: NOTHING, fieldLines: fieldLines + preflightFieldLines(head) };
      this.#admit(head, address);
      if (head.method === "OPTIONS")
        return { exchange: NOTHING, fieldLines: fieldLines + this.#allowLine(head) };
      return { exchange: this.#options.api.open(requestOf(head, this.#options.bearer)), fieldLines };
    } catch (failure) {
      const isMethodWrong = failure instanceof Fault && failure.code === "method_not_allowed";
      return {
        exchange: undefined,
        failure,
        fieldLines: isMethodWrong ? fieldLines + this.#allowLine(head) : fieldLines,
      };
    }
  }

  #admit(head: RequestHead, address: string | undefined): void {
    const { fields, version } = head;
    const { bearer } = this.#options;
    if (bearer.isRequired && !this.#isForAnyone(head))
      bearer.check(address, bearerToken(fields.single("authorization")));
    const expectation = fields.list("expect");
    // RFC 9110 §10.1.1: the only expectation; HTTP/1.0 has none.
    if (expectation !== undefined && version === "1.1" && expectation.toLowerCase() !== "100-continue")
      throw new Fault("expectation_failed", `Cannot meet the expectation ${quoted(expectation)}`);
  }

  /**
   * Reads only the path of the target. An invalid path counts as not public: it is rejected after authentication.
   */
  #isForAnyone({ method, target }: RequestHead): boolean {
    try {
      return this.#options.api.isForAnyone(apiMethod(method), pathOf(target));
    } catch {
      return false;
    }
  }

  /** @throws {Fault} `not_found` */
  #allowLine(head: RequestHead): string {
    const methods = head.target === "*" ? ALL_METHODS : this.#methodsOf(pathOf(head.target));
    const withHead = methods.includes("GET") ? [...methods, "HEAD"] : methods;
    return `allow: ${withHead.join(", ")}, OPTIONS\r\n`;
  }

  #methodsOf(path: string): readonly string[] {
    const methods = this.#options.api.methodsOf(path, "http");
    if (!methods) throw new Fault("not_found", `There is nothing at ${quoted(path)}`);
    return methods;
  }
}

/** HEAD is a GET whose body is not sent (RFC 9110 §9.3.2). */
function apiMethod(method: string): string {
  return method === "HEAD" ? "GET" : method;
}

/** Converts a request head to an API request. */
function requestOf({ method, target, framing, fields }: RequestHead, bearer: BearerAuthenticator): Request {
  const { path, parameters } = parseTarget(target);
  const token = bearerToken(fields.single("authorization"));
  const request: { -readonly [Member in keyof Request]: Request[Member] } = {
    transport: "http",
    // Evaluated at each access: few endpoints ask, and the token may be replaced meanwhile.
    get isOwner() {
      return bearer.isHeldBy(token);
    },
    method: apiMethod(method),
    path,
    parameters,
    bodyByteLength: framing.kind === "length" ? framing.byteLength : framing.kind === "none" ? 0 : undefined,
  };
  const signature = fields.single("x-svc-signature");
  if (signature !== undefined) request.signature = signature;
  const publisher = method === "POST" ? publisherTexts(({ header }) => fields.single(header)) : undefined;
  if (publisher) request.publisher = publisher;
  const contentType = fields.single("content-type");
  if (contentType !== undefined) request.mediaType = mediaType(contentType);
  return request;
}

function mediaType(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}
