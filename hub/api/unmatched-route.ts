/**
 * Answers requests that match no row: a CORS preflight, an unknown path, a known path with another method, the push
 * channel without WebSocket.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault } from "../../protocol/fault.js";
import { answerPreflight, isPreflight } from "./cors.js";
import type { Endpoint } from "./endpoint.js";

const PUSH_CHANNEL = /^(\/api\/v1)?\/ws\/device\/[^/]+$/;
const PARAMETER = /:[a-z_]+/g;

/** @param routes rows by the paths at which they are served */
export function answerUnmatched(routes: ReadonlyMap<string, readonly Pick<Endpoint, "method">[]>) {
  const known = [...routes].map(([path, rows]) => ({
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(PARAMETER, "[^/]+")}$`),
    allow: allowed(rows),
  }));
  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    if (isPreflight(request)) return answerPreflight(request, reply);
    const [path = ""] = request.url.split("?", 1);
    if (PUSH_CHANNEL.test(path)) throw upgradeRequired(reply);
    const match = known.find(({ pattern }) => pattern.test(path));
    if (!match) throw new Fault("not_found", `There is nothing at "${path}"`);
    reply.header("allow", match.allow);
    if (request.method === "OPTIONS") return reply.code(204).send();
    throw new Fault("method_not_allowed", `Cannot ${request.method} this: it takes ${match.allow}`);
  };
}

function allowed(rows: readonly Pick<Endpoint, "method">[]): string {
  const methods = rows.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...methods, "OPTIONS"].join(", ");
}

function upgradeRequired(reply: FastifyReply): Fault {
  reply.header("upgrade", "websocket");
  return new Fault("upgrade_required", "The push channel speaks WebSocket");
}
