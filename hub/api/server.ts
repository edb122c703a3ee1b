/**
 * Creates the hub's HTTP server from the table of endpoints and the web console's page. Applies the rules for every
 * request: sizes, encodings, error bodies, header fields, log lines. The caller listens, and attaches the push channel.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
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
import { addSignIn } from "../oidc/sign-in-pages.js";
import { OPERATION_ENDPOINTS } from "../operations/operation-endpoints.js";
import { addPage } from "../page/web-page.js";
import type { HubServices } from "../services.js";
import { addStore } from "../store/store-routes.js";
import { addRequestSpans } from "../tracing/request-spans.js";
import { addCorsFields, answerPreflight, isPreflight } from "./cors.js";
import type { Endpoint } from "./endpoint.js";
import { ENDPOINTS } from "./endpoints.js";
import { answerKept } from "./kept-answers.js";
import { API_PATH, openApi } from "./openapi.js";
import { PATH_PARAMETER_LIMIT, refusalBytes, refuse } from "./refusals.js";
import { budgetFields, RequestBudgets } from "./request-budgets.js";
import { addRoute } from "./routes.js";

/** A whole request with its upload: 16 MiB of firmware at half a megabit a second. */
const REQUEST_TIMEOUT_MS = 300_000;

/** Fields of a form besides its file. There are few, and only the notes are long. */
const FORM_FIELDS_LIMIT = 16;

const FORM_FIELD_LIMIT_BYTES = 16 * 1024;

// Removes tokens from a path before it is logged, wherever a client put them and however they are encoded. Our ids have
// the form of device tokens and are removed too.

/** The characters of tokens, percent-encoded any number of times over. */
const ENCODED = /%(?:25)*(2d|3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a])/gi;
/** Of version 4, as device tokens are, and of version 7, as ids of commands are. */
const UUID = /[0-9a-f]{8}-?[0-9a-f]{4}-?[47][0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}/gi;
/** Matches any text in a token's place: a truncated or misspelt token still reveals most of it. */
const TOKEN_POSITIONS = /(\/ws\/device\/|svc[apst]_)[^/]+/gi;

/** @param url as requested; the query is not logged */
function loggedPath(url: string): string {
  const [path = ""] = url.split("?", 1);
  return path.replace(ENCODED, decoded).replace(UUID, "…").replace(TOKEN_POSITIONS, "$1…");
}

function decoded(_text: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

// Gives our error body to errors that Node reports before there is a request.

/** Handles `clientError`: invalid HTTP, or a request that timed out. */
function refuseOnSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(refusalBytes(socketFault(error.code)));
}

function socketFault(code: string | undefined): Fault {
  if (code === "HPE_HEADER_OVERFLOW") return new Fault("head_too_large", "The request head is too large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Fault("request_timeout", "The request took too long");
  return new Fault("bad_request", "The request is not HTTP");
}

/** Handles `checkExpectation`: only `100-continue` is supported (RFC 9110 §10.1.1). */
function refuseExpectation(response: ServerResponse): void {
  const fault = new Fault("expectation_failed", 'Only "100-continue" can be expected');
  const body = Buffer.from(JSON.stringify(fault.toBody()));
  response.writeHead(fault.status, {
    "content-type": "application/json",
    "content-length": body.length,
    connection: "close",
  });
  response.end(body);
}

// Answers requests that match no row: a CORS preflight, an unknown path, a known path with another method, the push
// channel without WebSocket.

const PUSH_CHANNEL = /^(\/api\/v1)?\/ws\/device(\/[^/]+)?$/;
const PARAMETER = /:[a-z_]+/g;

/** @param routes rows by the paths at which they are served */
function answerUnmatched(routes: ReadonlyMap<string, readonly Pick<Endpoint, "method">[]>) {
  const known = [...routes].map(([path, rows]) => ({
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(PARAMETER, "[^/]+")}$`),
    allow: allowed(rows),
  }));
  return (request: FastifyRequest, reply: FastifyReply): unknown => {
    if (isPreflight(request)) return answerPreflight(request, reply);
    const [path = ""] = request.url.split("?", 1);
    if (PUSH_CHANNEL.test(path)) throw upgradeRequired(reply);
    const match = known.find(({ pattern }) => pattern.test(path));
    if (!match) throw new Fault("not_found", `There is no endpoint "${path}"`);
    reply.header("allow", match.allow);
    if (request.method === "OPTIONS") return reply.code(204).send();
    throw new Fault("method_not_allowed", `Cannot ${request.method} this: use ${match.allow}`);
  };
}

function allowed(rows: readonly Pick<Endpoint, "method">[]): string {
  const methods = rows.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...methods, "OPTIONS"].join(", ");
}

function upgradeRequired(reply: FastifyReply): Fault {
  reply.header("upgrade", "websocket");
  return new Fault("upgrade_required", "The push channel is a WebSocket");
}

const JSON_TYPE = "application/json";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI description as JSON. */
    description: string;
  }
}

/** @param rows another table in tests */
export async function createServer(
  services: HubServices,
  rows: readonly Endpoint[] = ENDPOINTS,
): Promise<FastifyInstance> {
  const { config, logger } = services;
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // recordRequest writes one line per request
    childLoggerFactory: (parent) => parent,
    bodyLimit: JSON_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: config.trustsProxy && ((_address, hop) => hop === 0), // the client may have forged the other entries
    return503OnClosing: false, // answers open connections, then closes them
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
  server.decorate("description", JSON.stringify(openApi(rows, config.publicUrl)));
  server.setErrorHandler((error, request, reply) => refuse(error, request, reply));
  const budgets = new RequestBudgets(config);
  if (config.traces) addRequestSpans(server, config.trustsProxy);
  addHooks(server, services, budgets);
  addBodies(server, rows);
  await addRoutes(server, services, budgets, rows);
  answerKept(server.server, services, budgets);
  return server;
}

function addHooks(server: FastifyInstance, services: HubServices, budgets: RequestBudgets): void {
  server.addHook("onRequest", (request, reply, done) => {
    addCommonFields(request, reply);
    try {
      // A load balancer must not find a process unready since strangers share its address.
      const isOperation = OPERATION_PATHS.has(request.routeOptions.url ?? "");
      const budget = isOperation ? undefined : budgets.countAddress(request.raw);
      if (budget) reply.headers(budgetFields(budget));
      done(hostFault(request));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addHook("onResponse", (request, reply, done) => {
    recordRequest(services, request, reply);
    services.audit.record(request, reply);
    done();
  });
}

const OPERATION_PATHS: ReadonlySet<string> = new Set(
  OPERATION_ENDPOINTS.flatMap(({ path }) => [path, API_PATH + path]),
);

/**
 * A name of 253 characters (RFC 1035 §2.3.4), and a port. Answers repeat the host in each address: with 8 KiB of it, a sitemap
 * of a megabyte would become a hundred.
 */
const HOST_LIMIT_CHARACTERS = 260;

/** RFC 9112 §3.2. */
function hostFault(request: FastifyRequest): Fault | undefined {
  const { headers, raw } = request;
  if (headers.host === undefined)
    return raw.httpVersion === "1.0" ? undefined : new Fault("bad_request", "The request has no Host");
  if (request.host.length <= HOST_LIMIT_CHARACTERS) return undefined;
  return new Fault("bad_request", `The request's Host has more than ${HOST_LIMIT_CHARACTERS} characters`);
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
function recordRequest(
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
  // The framework enforces each row's own limit.
  const limits = rows.map(({ bodyLimitBytes = JSON_LIMIT_BYTES }) => bodyLimitBytes);
  // Allow as many values as fit into a body: a rollout may name 10,000 devices.
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
  budgets: RequestBudgets,
  rows: readonly Endpoint[],
): Promise<void> {
  const options = { services, authentication: services.authentication, budgets };
  const routes = new Map<string, Pick<Endpoint, "method">[]>();
  const add = (to: FastifyInstance, row: Endpoint, prefix: string) => {
    addRoute(to, row, prefix, options);
    routes.set(prefix + row.path, [...(routes.get(prefix + row.path) ?? []), row]);
  };
  for (const row of rows) {
    if (!row.multipart) add(server, row, API_PATH);
    if (OPERATION_ENDPOINTS.includes(row)) add(server, row, "");
  }
  // Register forms in a separate scope: their hooks would take a third of the time of every other answer.
  await server.register(async (forms) => {
    await forms.register(fastifyMultipart, { limits: formLimits(services) });
    for (const row of rows) if (row.multipart) add(forms, row, API_PATH);
  });
  const pages = [
    ...addPage(server, services.page ?? []),
    ...addSignIn(server, services),
    ...(await addStore(server, services)),
  ];
  for (const path of pages) routes.set(path, [{ method: "GET" }]);
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
