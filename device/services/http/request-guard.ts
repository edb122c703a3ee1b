/**
 * Converts a request head to an open exchange or an error: checks source and token, handles OPTIONS and expectations,
 * and opens the endpoint. Independent of the connection.
 */
import { Fault, quoted } from "../../../protocol/fault.js";
import type { Clock } from "../../../protocol/ports/runtime.js";
import { type PublisherTexts, publisherTexts } from "../../../protocol/signature/statements.js";
import type { Api, Exchange, JsonAnswer, Request } from "../api/request.js";
import type { Guard, Opening } from "./conversation.js";
import { parseTarget, pathOf, type RequestFields, type RequestHead } from "./request-head.js";
import { hostOf } from "./room.js";

/** Wrong tokens from one address within a window before it is blocked (docs/spec/http.md#auth-failures). */
const TOKEN_FAILURE_LIMIT = 10;

const TOKEN_FAILURE_WINDOW_MS = 60_000;

/** Addresses whose failures are counted. */
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

// The bearer token (docs/spec/http.md#auth) and the limit of wrong ones, shared by HTTP and WebSocket, so that both count
// together. In builds that ask for no token it still tells the owner.
//
// Counts only wrong tokens: a request without a token is not a guess.

interface BearerAuthenticatorOptions {
  /** `CONFIG_SVC_HTTP_AUTH` */
  readonly isRequired: boolean;
  /** Read at each request, since the token can be replaced. */
  readonly token: { readonly value: string };
  readonly clock: Clock;
}

interface Failures {
  /** Of the machine that presented them. */
  readonly host: string;
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
   * Checks the token of a request, if this build asks for one.
   * @param address of the client
   * @param presented the token in the request, `undefined` without one
   * @throws {Fault} `unauthorized`, `too_many_attempts` with `retry_after_s`
   */
  check(address: string | undefined, presented: string | undefined): void {
    if (!this.#options.isRequired) return;
    const refusal = this.refusalOf(address, presented);
    if (refusal) throw refusal;
  }

  /**
   * Like {@link check}, without counting wrong tokens.
   * @throws {Fault} `unauthorized`
   */
  require(presented: string | undefined): void {
    const isHeld = presented !== undefined && isEqual(presented, this.#options.token.value);
    if (this.#options.isRequired && !isHeld)
      throw new Fault("unauthorized", "The bearer token is missing or wrong");
  }

  /**
   * Why who presents this is not the owner, `undefined` if it is: `unauthorized`, or `too_many_attempts` with
   * `retry_after_s`. Counts a wrong token.
   */
  refusalOf(address: string | undefined, presented: string | undefined): Fault | undefined {
    const nowMs = this.#options.clock.uptimeMs();
    this.#failures = this.#failures.filter(({ sinceMs }) => nowMs - sinceMs < TOKEN_FAILURE_WINDOW_MS);
    const host = hostOf(address);
    const failures = this.#failures.find((known) => known.host === host) ?? this.#crowd();
    if (failures && failures.count >= TOKEN_FAILURE_LIMIT) return tooMany(failures, nowMs);
    if (presented === undefined) return new Fault("unauthorized", "The bearer token is missing");
    if (isEqual(presented, this.#options.token.value)) return undefined;
    if (failures) failures.count++;
    else this.#remember({ host, sinceMs: nowMs, count: 1 });
    return new Fault("unauthorized", "The bearer token is wrong");
  }

  /** If every remembered address is blocked, no further one has attempts until the first of them has some again. */
  #crowd(): Failures | undefined {
    const isFull = this.#failures.length >= TOKEN_ADDRESS_LIMIT;
    return isFull && this.#failures.every(isBlocked) ? this.#failures[0] : undefined;
  }

  /** Forgets, if it must, the address with the fewest failures, which is not blocked. */
  #remember(failures: Failures): void {
    if (this.#failures.length >= TOKEN_ADDRESS_LIMIT) {
      const least = Math.min(...this.#failures.map(({ count }) => count));
      this.#failures.splice(
        this.#failures.findIndex(({ count }) => count === least),
        1,
      );
    }
    this.#failures.push(failures);
  }
}

function isBlocked({ count }: Failures): boolean {
  return count >= TOKEN_FAILURE_LIMIT;
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
      return {
        exchange: this.#options.api.open(new HttpRequest(head, address, this.#options.bearer)),
        fieldLines,
      };
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
    if (bearer.isRequired && !this.#isForPage(head))
      bearer.check(address, bearerToken(fields.single("authorization")));
    const expectation = fields.list("expect");
    // RFC 9110 §10.1.1: the only expectation; HTTP/1.0 has none.
    if (expectation !== undefined && version === "1.1" && expectation.toLowerCase() !== "100-continue")
      throw new Fault("expectation_failed", `Cannot meet the expectation ${quoted(expectation)}`);
  }

  /**
   * Reads only the path of the target. An invalid path counts as not public: it is rejected after authentication.
   */
  #isForPage({ method, target }: RequestHead): boolean {
    try {
      return this.#options.api.isForPage(apiMethod(method), pathOf(target));
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

/**
 * The API's request that a head makes. Tells once whether the token that it presents is wrong, and each time whether it is
 * still right. A class, since each getter of an object literal would be a function of its own.
 */
class HttpRequest implements Request {
  readonly transport = "http";
  readonly isHead: boolean;
  readonly method: string;
  readonly path: string;
  readonly parameters: Request["parameters"];
  readonly bodyByteLength: number | undefined;
  readonly signature?: string;
  readonly publisher?: PublisherTexts;
  readonly mediaType?: string;
  refusal: Fault | undefined;
  readonly #bearer: BearerAuthenticator;
  readonly #address: string | undefined;
  readonly #token: string | undefined;

  /** @throws {Fault} for an invalid target */
  constructor(
    { method, target, framing, fields }: RequestHead,
    address: string | undefined,
    bearer: BearerAuthenticator,
  ) {
    const { path, parameters } = parseTarget(target);
    this.isHead = method === "HEAD";
    this.method = apiMethod(method);
    this.path = path;
    this.parameters = parameters;
    this.bodyByteLength =
      framing.kind === "length" ? framing.byteLength : framing.kind === "none" ? 0 : undefined;
    this.#bearer = bearer;
    this.#address = address;
    this.#token = bearerToken(fields.single("authorization"));
    const signature = fields.single("x-svc-signature");
    if (signature !== undefined) this.signature = signature;
    const publisher = method === "POST" ? publisherTexts(({ header }) => fields.single(header)) : undefined;
    if (publisher) this.publisher = publisher;
    const contentType = fields.single("content-type");
    if (contentType !== undefined) this.mediaType = mediaType(contentType);
  }

  get host(): string {
    return hostOf(this.#address);
  }

  /** Evaluated at each access: few endpoints ask, and the token may be replaced meanwhile. */
  get isOwner(): boolean {
    if (this.#token === undefined || this.refusal) return false;
    this.refusal = this.#bearer.refusalOf(this.#address, this.#token);
    return this.refusal === undefined;
  }
}

function mediaType(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}
