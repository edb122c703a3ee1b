/**
 * Builds the hub's HTTP server from the table of endpoints and the web console's page. Applies what holds for every
 * request: sizes, encodings, error bodies, header fields, the log line. Does not listen yet, and does not know the push
 * channel.
 */
import fastifyMultipart from "@fastify/multipart";
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { Fault } from "../../protocol/fault.js";
import { JsonReader } from "../../protocol/json.js";
import { JSON_LIMIT_BYTES } from "../../protocol/limits.js";
import { clientAddress } from "../auth/client-address.js";
import { OPERATION_ENDPOINTS } from "../operations/operation-endpoints.js";
import { addPage } from "../page/web-page.js";
import type { HubServices } from "../services.js";
import { addCorsFields } from "./cors.js";
import type { Endpoint } from "./endpoint.js";
import { ENDPOINTS } from "./endpoints.js";
import {
  FORM_FIELD_LIMIT_BYTES,
  FORM_FIELDS_LIMIT,
  PATH_PARAMETER_LIMIT,
  REQUEST_TIMEOUT_MS,
} from "./limits.js";
import { loggedPath } from "./logged-path.js";
import { API_PATH, openApi } from "./openapi.js";
import { refuse } from "./refusals.js";
import { addRoute } from "./routes.js";
import { refuseExpectation, refuseOnSocket } from "./socket-errors.js";
import { answerUnmatched } from "./unmatched-route.js";

const JSON_TYPE = "application/json";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI description as JSON. */
    description: string;
  }
}

/** @param rows the table; another one in tests of what every row shares */
export async function createServer(
  services: HubServices,
  rows: readonly Endpoint[] = ENDPOINTS,
): Promise<FastifyInstance> {
  const { config, logger } = services;
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // there is one line a request, below
    childLoggerFactory: (parent) => parent,
    bodyLimit: JSON_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: config.trustsProxy && ((_address, hop) => hop === 0), // what is farther away, anybody may claim
    return503OnClosing: false, // who is still connected is answered; the connection closes afterwards
    routerOptions: {
      maxParamLength: PATH_PARAMETER_LIMIT,
      querystringParser: (text) => text as never, // rows read it, strictly: see checks.ts
    },
    clientErrorHandler: refuseOnSocket,
    frameworkErrors: (error, request, reply) => {
      addCommonFields(request, reply);
      refuse(error, request, reply);
    },
    // Node would answer a request without Host with an empty body: a hook answers instead.
    ...(config.tls
      ? { https: { cert: config.tls.certificate, key: config.tls.key, requireHostHeader: false } }
      : { http: { requireHostHeader: false } }),
  }) as unknown as FastifyInstance;
  server.server.on("checkExpectation", (_request, response) => refuseExpectation(response));
  server.decorateRequest("caller", undefined);
  server.decorate("description", JSON.stringify(openApi(rows)));
  server.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  addHooks(server, services);
  addBodies(server, rows);
  await addRoutes(server, services, rows);
  return server;
}

function addHooks(server: FastifyInstance, services: HubServices): void {
  server.addHook("onRequest", (request, reply, done) => {
    addCommonFields(request, reply);
    done(hostFault(request));
  });
  server.addHook("onResponse", (request, reply, done) => {
    account(services, request, reply);
    done();
  });
}

/** RFC 9112 §3.2. */
function hostFault({ headers, raw }: FastifyRequest): Fault | undefined {
  if (headers.host !== undefined || raw.httpVersion === "1.0") return undefined;
  return new Fault("bad_request", "A request says which host it asks");
}

/** Forbids caching and content sniffing. Handlers of files override this. */
function addCommonFields(request: FastifyRequest, reply: FastifyReply): void {
  addCorsFields(request, reply);
  reply.header("cache-control", "no-store");
  reply.header("x-content-type-options", "nosniff");
}

/**
 * Counts the request, and writes one log line: at `debug` for successful reads, which are so many that logging would
 * cost as much as answering.
 */
function account(
  { config, logger, metrics }: HubServices,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method } = request;
  const { statusCode: status, elapsedTime: duration_ms } = reply;
  metrics.observe(method, request.routeOptions.url ?? "none", status, duration_ms / 1000);
  const level = status < 400 && (method === "GET" || method === "HEAD") ? "debug" : "info";
  if (level === "debug" && !isVerbose(logger)) return;
  const address = clientAddress(request.raw, config.trustsProxy);
  logger[level]({ method, path: loggedPath(request.url), status, duration_ms, address }, "request");
}

function isVerbose({ level }: HubServices["logger"]): boolean {
  return level === "debug" || level === "trace";
}

function addBodies(server: FastifyInstance, rows: readonly Endpoint[]): void {
  // The framework holds each row to its own limit.
  const limits = rows.map(({ bodyLimitBytes = JSON_LIMIT_BYTES }) => bodyLimitBytes);
  // Node has room for as many values as fit into a body, as 10,000 devices of a rollout are: a value has two bytes at least.
  const byteLength = Math.max(JSON_LIMIT_BYTES, ...limits);
  const reader = new JsonReader({ byteLength, values: byteLength });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(JSON_TYPE, { parseAs: "buffer" }, (_request, bytes, done) => {
    try {
      done(null, bytes.length > 0 ? reader.read(bytes as Buffer) : undefined);
    } catch (error) {
      done(error as Error);
    }
  });
}

async function addRoutes(
  server: FastifyInstance,
  services: HubServices,
  rows: readonly Endpoint[],
): Promise<void> {
  const options = { services, authentication: services.authentication };
  const routes = new Map<string, Pick<Endpoint, "method">[]>();
  const add = (to: FastifyInstance, row: Endpoint, prefix: string) => {
    addRoute(to, row, prefix, options);
    routes.set(prefix + row.path, [...(routes.get(prefix + row.path) ?? []), row]);
  };
  for (const row of rows) {
    if (!row.multipart) add(server, row, API_PATH);
    if (OPERATION_ENDPOINTS.includes(row)) add(server, row, "");
  }
  // In a scope of its own: its hooks would make a third of the time of every other answer.
  await server.register(async (forms) => {
    await forms.register(fastifyMultipart, { limits: formLimits(services) });
    for (const row of rows) if (row.multipart) add(forms, row, API_PATH);
  });
  if (services.page) {
    addPage(server, services.page);
    for (const { path } of services.page) routes.set(path, [{ method: "GET" }]);
  }
  server.setNotFoundHandler(answerUnmatched(routes));
}

function formLimits({ config }: HubServices) {
  return {
    files: 1,
    fileSize: Math.max(config.maxPackageBytes, config.maxFirmwareBytes),
    fields: FORM_FIELDS_LIMIT,
    fieldSize: FORM_FIELD_LIMIT_BYTES,
  };
}
