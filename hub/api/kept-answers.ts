/**
 * Answers `GET /catalog` before the framework sees the request, where the framework has answered the same request before
 * and the list has not changed since: the shortest way for what clients ask most. Every rule that applies to the request
 * applies here too, and the answer has the same fields; whatever is not plain (a proxy, a page of another origin, a token
 * that is not in the cache, a budget that is used up) goes the usual way.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { TaggedList } from "../catalog/catalog-list.js";
import { isHeld } from "../files/send-file.js";
import type { HubServices } from "../services.js";
import { API_PATH } from "./openapi.js";
import type { RequestBudgets } from "./request-budgets.js";

const ROUTE = `${API_PATH}/catalog`;

/** Longer requests are rare, and would fill the memory. */
const KEY_LIMIT = 256;

type Services = Pick<HubServices, "authentication" | "catalog" | "config" | "logger" | "metrics">;

/**
 * The text that two requests for the same list share: what the client asks, and the host that it names, which is in the
 * addresses of the list's icons.
 * @returns `undefined` for a request that is not kept
 */
export function keptKey({ headers, url = "" }: Pick<IncomingMessage, "headers" | "url">): string | undefined {
  const key = `${headers.host} ${url}`;
  return headers.host !== undefined && key.length <= KEY_LIMIT ? key : undefined;
}

/** Puts the kept answers before the server's own listener. */
export function answerKept(server: Server, services: Services, budgets: RequestBudgets): void {
  if (services.config.trustsProxy || services.config.traces) return; // each request has a span
  const [usual, ...others] = server.listeners("request") as RequestListener[];
  if (!usual || others.length > 0) throw new Error("The server has not just been made");
  server.removeListener("request", usual);
  server.on("request", (request, response) => {
    const list = server.listening && isPlain(request) ? keptList(services, request) : undefined;
    if (!list || !answer(services, budgets, request, response, list)) usual.call(server, request, response);
  });
}

function isPlain({ headers, method, url = "" }: IncomingMessage): boolean {
  if (method !== "GET" || !url.startsWith(ROUTE)) return false;
  const { origin, "content-length": length, "transfer-encoding": encoding } = headers;
  return origin === undefined && length === undefined && encoding === undefined;
}

function keptList({ catalog, logger }: Services, request: IncomingMessage): TaggedList | undefined {
  if (logger.level === "debug" || logger.level === "trace") return undefined; // which have a line for each request
  const key = keptKey(request);
  return key === undefined ? undefined : catalog.keptList(key);
}

/** @returns whether it has answered */
function answer(
  { authentication, config, metrics }: Services,
  budgets: RequestBudgets,
  request: IncomingMessage,
  response: ServerResponse,
  { etag, json }: TaggedList,
): boolean {
  const began = performance.now();
  const fields: Record<string, string | number> = {
    "access-control-allow-origin": "*",
    "cache-control": "private, no-cache",
    "x-content-type-options": "nosniff",
    etag,
  };
  const sink = { header: (name: string, value: number) => (fields[name] = value) };
  const { authorization } = request.headers;
  const caller = authorization === undefined ? undefined : authentication.known(authorization);
  if (!caller && (authorization !== undefined || !config.hasPublicCatalog)) return false;
  try {
    budgets.countAddress(request, sink);
    if (caller) budgets.countCaller(caller, sink);
  } catch {
    return false; // the usual way refuses it for the same reason
  }
  const status = isHeld(request.headers, etag) ? 304 : 200;
  if (status === 200) {
    fields["content-type"] = "application/json";
    fields["content-length"] = json.length;
  }
  response.writeHead(status, fields);
  response.end(status === 200 ? json : undefined);
  metrics.observe("GET", ROUTE, status, (performance.now() - began) / 1000);
  return true;
}
