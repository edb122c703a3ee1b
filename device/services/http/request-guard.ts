/**
 * Turns a request head into an open exchange, or a refusal: checks the client and its address, HTTP's own methods and
 * expectations, and finds the endpoint. Knows no connection.
 */
import { Fault } from "../../../protocol/fault.js";
import { quoted } from "../../../protocol/quoted.js";
import { publisherTexts } from "../../../protocol/signature/statements.js";
import type { Api, Exchange, JsonAnswer, Request } from "../api/request.js";
import { type BearerAuthenticator, bearerToken } from "./bearer-authenticator.js";
import { corsFieldLines, isPreflight, preflightFieldLines } from "./cors.js";
import { PerHead } from "./recent-head.js";
import type { RequestHead } from "./request-head.js";
import { parseTarget, pathOf } from "./request-target.js";
import { checkSource, type SourceRules } from "./source-rules.js";

export interface RequestGuardOptions {
  readonly api: Api;
  readonly rules: SourceRules;
  readonly bearer: BearerAuthenticator;
}

/** An exchange, or a failure that is its request's answer; and field lines for the answer of either. */
export interface Opening {
  readonly exchange: Exchange | undefined;
  readonly failure?: unknown;
  readonly fieldLines: string;
}

/** An answer without a body. */
export const NO_CONTENT: JsonAnswer = Object.freeze({ status: 204, body: null });

const NOTHING: Exchange = Object.freeze({
  ignoresBody: true,
  write() {},
  end: () => NO_CONTENT,
  abort() {},
});

/** What the server as a whole can do (`OPTIONS *`, RFC 9110 §9.3.7). */
const ALL_METHODS: readonly string[] = Object.freeze(["GET", "POST"]);

export class RequestGuard {
  readonly #options: RequestGuardOptions;
  readonly #origins: PerHead<string | undefined>;
  readonly #requests: PerHead<Request>;

  constructor(options: RequestGuardOptions) {
    this.#options = options;
    this.#origins = new PerHead((head) => checkSource(head, options.rules));
    this.#requests = new PerHead((head) => requestOf(head, options.bearer));
  }

  /** @param address where the request came from */
  open(head: RequestHead, address: string | undefined): Opening {
    let fieldLines = "";
    try {
      const origin = this.#origins.of(head);
      if (origin !== undefined) fieldLines = corsFieldLines(origin);
      if (origin !== undefined && isPreflight(head))
        return { exchange: NOTHING, fieldLines: fieldLines + preflightFieldLines(head) };
      this.#admit(head, address);
      if (head.method === "OPTIONS")
        return { exchange: NOTHING, fieldLines: fieldLines + this.#allowLine(head) };
      return { exchange: this.#options.api.open(this.#requests.of(head)), fieldLines };
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
    // RFC 9110 §10.1.1: there are no others, and HTTP/1.0 has none at all.
    if (expectation !== undefined && version === "1.1" && expectation.toLowerCase() !== "100-continue")
      throw new Fault("expectation_failed", `Cannot meet the expectation ${quoted(expectation)}`);
  }

  /**
   * Reads only the path of the target. An unreadable path counts as not public: it is refused as unreadable, after the
   * client has authenticated.
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

/** The request as the API sees it. */
function requestOf({ method, target, framing, fields }: RequestHead, bearer: BearerAuthenticator): Request {
  const { path, parameters } = parseTarget(target);
  const token = bearerToken(fields.single("authorization"));
  const signature = fields.single("x-svc-signature");
  const publisher = method === "POST" ? publisherTexts(({ header }) => fields.single(header)) : undefined;
  const contentType = fields.single("content-type");
  return {
    transport: "http",
    // Asked each time: requests are kept for heads that come again, and the token may have been replaced meanwhile.
    get isOwner() {
      return bearer.isHeldBy(token);
    },
    method: apiMethod(method),
    path,
    parameters,
    bodyByteLength: framing.kind === "length" ? framing.byteLength : framing.kind === "none" ? 0 : undefined,
    ...(signature !== undefined && { signature }),
    ...(publisher && { publisher }),
    ...(contentType !== undefined && { mediaType: mediaType(contentType) }),
  };
}

function mediaType(contentType: string): string {
  const semicolon = contentType.indexOf(";");
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}
