/**
 * The hub for pages of any origin (Fetch standard, CORS protocol): the web console is served by consoles, by hubs, and by
 * whoever hosts it. Any origin may be let in because nothing that a browser sends by itself lets anybody in: tokens are
 * in Authorization, where a page must have put one, and never in cookies. What operators and their machines ask is not for
 * pages.
 *
 * A plugin for it (`@fastify/cors`) is a hook more, which makes `GET /catalog` take a tenth longer [measured], and answers
 * OPTIONS for every path in the place of what tells its methods.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

/** What a page may read of an answer, beside what any may. */
const EXPOSED = [
  ...["accept-ranges", "allow", "content-disposition", "content-range", "etag", "retry-after"],
  ...["www-authenticate", "x-svc-publisher-key", "x-svc-publisher-signature", "x-svc-publisher-succession"],
  ...["x-svc-publisher-voucher", "x-svc-signature"],
].join(", ");

/**
 * They take no token, and tell of what goes on in the hub: that is nothing for any page that a browser opens which
 * happens to reach it. `/health/live` tells nothing, and is how a page finds out that there is a hub.
 */
const FOR_OPERATORS = /^(?:\/api\/v1)?\/(?:metrics|health\/ready)$/;

const PREFLIGHT = Object.freeze({
  "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
  "access-control-allow-headers": "authorization, content-type, if-none-match, if-range, range",
  "access-control-max-age": "600",
});

/**
 * For every answer, since one that a browser keeps may be wanted by a page later on; what is exposed, only for a page
 * that asks, since a field more is a part of what the quickest answers take (docs/spec/hub-api.md#hub-cors).
 */
export function addCorsFields({ headers, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (FOR_OPERATORS.test(routeOptions.url ?? "")) return;
  reply.header("access-control-allow-origin", "*");
  if (headers.origin !== undefined) reply.header("access-control-expose-headers", EXPOSED);
}

/** Whether the browser asks on its own behalf, without credentials, what a page may send. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  );
}

/** For any path: whether there is something, the page is to learn from the answer to its own request. */
export function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(PREFLIGHT);
  // A hub in a private network, for a page from the internet (Private Network Access).
  if (headers["access-control-request-private-network"] === "true")
    reply.header("access-control-allow-private-network", "true");
  return reply.code(204).send();
}
