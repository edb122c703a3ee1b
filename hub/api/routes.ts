/** Turns a row of the table into a route: access check, validation, handler, response. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { TSchema } from "typebox";
import { Fault } from "../../protocol/fault.js";
import { type Authentication, type Caller, requireAccess } from "../auth/authentication.js";
import { TokenBuckets } from "../limits/token-buckets.js";
import type { HubServices } from "../services.js";
import { sendJson } from "./answers.js";
import { Check, checkedQuery } from "./checks.js";
import { type Endpoint, scopeOf } from "./endpoint.js";
import { budgetFields, ownerKey, type RequestBudgets } from "./request-budgets.js";

declare module "fastify" {
  interface FastifyRequest {
    /** `undefined` for rows that need no token. */
    caller: Caller | undefined;
  }
}

export interface RouteOptions {
  readonly services: HubServices;
  readonly authentication: Authentication;
  readonly budgets: RequestBudgets;
}

/** @param prefix `/api/v1`, or nothing */
export function addRoute(
  server: FastifyInstance,
  row: Endpoint,
  prefix: string,
  options: RouteOptions,
): void {
  server.route({
    method: row.method,
    url: prefix + row.path,
    schema: { response: answerSchemas(row) },
    ...(row.bodyLimitBytes !== undefined && { bodyLimit: row.bodyLimitBytes }),
    ...(row.access === "anyone" ? {} : { onRequest: accessHook(row, options) }),
    handler: handler(row, options.services),
  });
}

/** The schemas from which the framework creates serializers; files and empty answers have none. */
function answerSchemas({ answers }: Endpoint): Record<string, TSchema> {
  const schemas = Object.entries(answers).filter((answer): answer is [string, TSchema] =>
    isSchema(answer[1]),
  );
  return Object.fromEntries(schemas);
}

function isSchema(answer: TSchema | string | null): answer is TSchema {
  return typeof answer === "object" && answer !== null;
}

/**
 * Checks access before the body is read, so that unauthenticated clients need not send it. A callback avoids a promise
 * for cached callers.
 */
function accessHook(row: Endpoint, { authentication, budgets, services }: RouteOptions) {
  const { access, callsPerMinute, isCatalogue } = row;
  const calls = callsPerMinute === undefined ? undefined : new TokenBuckets(callsPerMinute);
  const needed = { access, scope: scopeOf(row) };
  const isPublic = isCatalogue === true && services.config.hasPublicCatalog;
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    // A token that is sent must be valid, even if none is needed.
    if (isPublic && request.headers.authorization === undefined) {
      done();
      return;
    }
    const pass = (caller: Caller) => {
      request.caller = caller; // before the check: the audit log has refused requests too
      const budget = budgets.countCaller(caller);
      if (budget) reply.headers(budgetFields(budget));
      requireAccess(needed, caller, (request.params as { readonly device_id?: string }).device_id);
      calls?.take(ownerKey(caller));
      done();
    };
    try {
      const caller = authentication.caller(request.headers.authorization);
      if (caller instanceof Promise) caller.then(pass).catch(done);
      else pass(caller);
    } catch (error) {
      done(error as Error);
    }
  };
}

function handler(row: Endpoint, services: HubServices) {
  const parameters = row.parameters && new Check(row.parameters);
  const query = row.query && new Check(row.query);
  const body = row.body && new Check(row.body);
  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    const isForm = row.multipart !== undefined && request.isMultipart();
    if (row.multipart && !row.body && !isForm)
      throw new Fault("media_type_unsupported", "The body must be multipart/form-data");
    const given = request.params as Readonly<Record<string, string>>;
    const answer = row.handle(services, {
      parameters: parameters ? parameters.texts((name) => given[name]) : given,
      query: checkedQuery(request.query as string, query),
      // A missing body counts as an empty object, so that a row with only optional members accepts it.
      body: body && !isForm ? body.value(request.body ?? {}) : undefined,
      caller: request.caller,
      request,
      reply,
    });
    // Avoids a promise for synchronous answers: one costs as much as some of the handlers.
    return answer instanceof Promise
      ? answer.then((value) => sendAwaited(reply, value))
      : send(reply, answer);
  };
}

/** A reply is a thenable: a promise for it resolves with `undefined` once the whole answer is sent. */
function sendAwaited(reply: FastifyReply, value: unknown): FastifyReply | undefined {
  return value === undefined ? undefined : send(reply, value);
}

/** Sends a value as JSON. A handler that returns the reply has sent its answer itself. */
function send(reply: FastifyReply, value: unknown): FastifyReply {
  if (value === reply) return reply;
  const serialize = reply.getSerializationFunction(String(reply.statusCode)) ?? JSON.stringify;
  return sendJson(reply, serialize(value as object));
}
