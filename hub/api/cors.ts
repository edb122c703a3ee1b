/**
 * CORS for pages of any origin (Fetch standard, CORS protocol): consoles, hubs and third parties serve the web console.
 * Allowing every origin is safe because nothing that a browser sends by itself grants access: tokens are in
 * Authorization, where only a page can put them, and never in cookies; those of a sign-in under way are answered to our own
 * origin alone (oidc/sign-in-endpoints.ts). The endpoints for operators and their machines are not open to pages.
 *
 * Not `@fastify/cors`: the plugin adds a hook, which slows `GET /catalog` by a tenth [measured], and it answers OPTIONS
 * for every path, in place of the handler that lists the allowed methods.
 */
import type { FastifyReply, FastifyRequest } from "fastify";

/** Header fields that a page may read, besides those that CORS always exposes. */
const EXPOSED = [
  ...["accept-ranges", "allow", "content-disposition", "content-range", "etag", "retry-after"],
  ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
  ...["www-authenticate", "x-svc-publisher-key", "x-svc-publisher-signature", "x-svc-publisher-succession"],
  ...["x-svc-publisher-voucher", "x-svc-signature"],
].join(", ");

/**
 * These endpoints need no token and describe the hub's internals, so pages must not read them. `/health/live` reveals
 * nothing, and lets a page detect a hub.
 */
const FOR_OPERATORS = /^(?:\/api\/v1)?\/(?:metrics|health\/ready)$/;

const PREFLIGHT = Object.freeze({
  "access-control-allow-methods": "GET, HEAD, POST, PUT, DELETE",
  "access-control-allow-headers": "authorization, content-type, if-none-match, if-range, range",
  "access-control-max-age": "600",
});

/**
 * `allow-origin` goes on every response, since a page may later reuse one from the browser's cache. `expose-headers`
 * goes only on responses to pages: one more field costs a noticeable part of the fastest responses
 * (docs/spec/hub-api.md#hub-cors).
 */
export function addCorsFields({ headers, routeOptions }: FastifyRequest, reply: FastifyReply): void {
  if (FOR_OPERATORS.test(routeOptions.url ?? "")) return;
  reply.header("access-control-allow-origin", "*");
  if (headers.origin !== undefined) reply.header("access-control-expose-headers", EXPOSED);
}

/** Whether the request is a CORS preflight, which the browser sends without credentials. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  );
}

/** Answers a preflight for any path; whether the path exists is for the actual request to show. */
export function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.headers(PREFLIGHT);
  // Lets a page from the internet reach a hub in a private network (Private Network Access).
  if (headers["access-control-request-private-network"] === "true")
    reply.header("access-control-allow-private-network", "true");
  return reply.code(204).send();
}
