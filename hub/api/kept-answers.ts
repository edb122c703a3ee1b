/**
 * Answers `GET /catalog` before the framework sees the request, where the framework has answered the same request before
 * and the list has not changed since: the shortest way for what clients ask most. The answer has the same fields, and every
 * rule that applies to the request applies here too, but for the budget of searches, which cost nothing once they are kept.
 * Whatever is not plain (a proxy, a page of another origin, a token that is not in the cache, a budget that is used up) goes
 * the usual way.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { TaggedList } from "../catalog/catalog-list.js";
import { isHeld } from "../files/send-file.js";
import type { Budget } from "../limits/token-buckets.js";
import type { HubServices } from "../services.js";
import { API_PATH } from "./openapi.js";
import { budgetFields, type RequestBudgets } from "./request-budgets.js";

const ROUTE = `${API_PATH}/catalog`;

/** Longer requests are rare, and would fill the memory. */
const KEY_LIMIT = 256;

/** What is remembered of a request's head; more fields than clients send to an API. */
const HEAD_LIMIT = { fields: 32, characters: 2048 };

type Services = Pick<HubServices, "authentication" | "catalog" | "config" | "logger" | "metrics">;

/**
 * The text that two requests for the same list share: what the client asks, and the host that it names, which is in the
 * addresses of the list's icons.
 * @param trustsProxy whether a proxy names the host, and not the request alone
 * @returns `undefined` for a request that is not kept
 */
export function keptKey(
  { headers, url = "" }: Pick<IncomingMessage, "headers" | "url">,
  trustsProxy = false,
): string | undefined {
  if (trustsProxy) return undefined;
  const key = `${headers.host} ${url}`;
  return headers.host !== undefined && key.length <= KEY_LIMIT ? key : undefined;
}

/** A request that may be answered here. */
interface Plain {
  /** Names and values by turns, as sent. */
  readonly rawHeaders: readonly string[];
  readonly url: string;
  /** See {@link keptKey}. */
  readonly key: string;
  readonly authorization: string | undefined;
  readonly conditions: { readonly "if-none-match": string | undefined };
  /** The last one that it got. */
  answer: Answer | undefined;
}

interface Answer {
  /** Of the list: the same tag means the same bytes. The list itself would stay in memory as long as the connection. */
  readonly etag: string;
  readonly status: 200 | 304;
  /** Names and values by turns. */
  readonly fields: readonly (string | number)[];
}

/** Puts the kept answers before the server's own listener. */
export function answerKept(server: Server, services: Services, budgets: RequestBudgets): void {
  const { config, logger } = services;
  if (config.trustsProxy || config.traces) return; // each request has a span
  if (logger.level === "debug" || logger.level === "trace") return; // each request has a line
  const [usual, ...others] = server.listeners("request") as RequestListener[];
  if (!usual || others.length > 0) throw new Error("The server has not just been made");
  const kept = new KeptAnswers(services, budgets);
  server.removeListener("request", usual);
  server.on("request", (request, response) => {
    if (!server.listening || !kept.answer(request, response)) usual.call(server, request, response);
  });
}

class KeptAnswers {
  readonly #services: Services;
  readonly #budgets: RequestBudgets;
  readonly #observe: Readonly<Record<200 | 304, (seconds: number) => void>>;
  /** A client asks the same again and again on its connection: comparing two heads is faster than reading one. */
  readonly #last = new WeakMap<Socket, Plain>();

  constructor(services: Services, budgets: RequestBudgets) {
    this.#services = services;
    this.#budgets = budgets;
    const { metrics } = services;
    this.#observe = { 200: metrics.observer("GET", ROUTE, 200), 304: metrics.observer("GET", ROUTE, 304) };
  }

  /** @returns whether it has answered */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { authentication, catalog, config } = this.#services;
    if (request.method !== "GET" || !request.url?.startsWith(ROUTE)) return false;
    const began = performance.now();
    const plain = this.#plain(request);
    const list = plain && catalog.keptList(plain.key);
    if (!list) return false;
    const { authorization } = plain;
    const caller = authorization === undefined ? undefined : authentication.known(authorization);
    if (!caller && (authorization !== undefined || !config.hasPublicCatalog)) return false;
    if (plain.answer?.etag !== list.etag) plain.answer = answerOf(list, plain);
    const { status, fields } = plain.answer;
    let budget: Budget | undefined;
    try {
      budget = this.#budgets.countAddress(request);
    } catch {
      return false; // the usual way refuses it for the same reason
    }
    try {
      if (caller) budget = this.#budgets.countCaller(caller) ?? budget;
    } catch {
      this.#budgets.giveBackAddress(request); // which the usual way counts again before it refuses the request
      return false;
    }
    const all = budget ? [...fields, ...Object.entries(budgetFields(budget)).flat()] : fields;
    response.writeHead(status, all as string[]);
    response.end(status === 200 ? list.json : undefined);
    this.#observe[status]((performance.now() - began) / 1000);
    return true;
  }

  #plain(request: IncomingMessage): Plain | undefined {
    const { socket } = request;
    const last = this.#last.get(socket);
    if (last && last.url === request.url && isSame(last.rawHeaders, request.rawHeaders)) return last;
    const plain = readPlain(request);
    if (plain && isShort(plain.rawHeaders)) this.#last.set(socket, plain);
    return plain;
  }
}

/** @returns `undefined` for a request that goes the usual way */
function readPlain(request: IncomingMessage): Plain | undefined {
  const { headers, rawHeaders, url = "" } = request;
  const { authorization, origin, "content-length": length, "transfer-encoding": encoding } = headers;
  const key = keptKey(request);
  if (key === undefined || origin !== undefined || length !== undefined || encoding !== undefined)
    return undefined;
  const conditions = { "if-none-match": headers["if-none-match"] };
  return { rawHeaders, url, key, authorization, conditions, answer: undefined };
}

function isSame(texts: readonly string[], others: readonly string[]): boolean {
  if (texts.length !== others.length) return false;
  for (let at = 0; at < texts.length; at++) if (texts[at] !== others[at]) return false;
  return true;
}

function isShort(head: readonly string[]): boolean {
  if (head.length > 2 * HEAD_LIMIT.fields) return false;
  return head.reduce((sum, { length }) => sum + length, 0) <= HEAD_LIMIT.characters;
}

function answerOf(list: TaggedList, { conditions }: Plain): Answer {
  const fields = [
    ...["access-control-allow-origin", "*"],
    ...["cache-control", "private, no-cache"],
    ...["x-content-type-options", "nosniff"],
    ...["etag", list.etag],
  ];
  const { etag, json } = list;
  if (isHeld(conditions, etag)) return { etag, status: 304, fields };
  const body = ["content-type", "application/json", "content-length", json.length];
  return { etag, status: 200, fields: [...fields, ...body] };
}
