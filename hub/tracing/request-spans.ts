/**
 * A span for each request, named by its row in the table of endpoints. It has no path and no query, which may contain
 * what belongs in no trace. The context of a client counts only where a trusted proxy passes it on.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Context, context, receivedContext, SpanKind, SpanStatusCode, trace, tracer } from "./spans.js";

export function addRequestSpans(server: FastifyInstance, trustsProxy: boolean): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  const within = (request: FastifyRequest, done: () => void) =>
    context.with(contexts.get(request) ?? context.active(), done);

  server.addHook("onRequest", (request, _reply, done) => {
    const { method, headers, routeOptions } = request;
    const parent = trustsProxy ? receivedContext(headers) : context.active();
    const route = routeOptions.url ?? "none";
    const attributes = { "http.request.method": method, "http.route": route };
    const span = tracer.startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes }, parent);
    contexts.set(request, trace.setSpan(parent, span));
    within(request, done);
  });
  // The events of a body have the context of the connection.
  server.addHook("preHandler", (request, _reply, done) => within(request, done));
  server.addHook("onResponse", (request, { statusCode }, done) => {
    const span = trace.getSpan(contexts.get(request) ?? context.active());
    span?.setAttribute("http.response.status_code", statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
