/**
 * Endpoints for operators and their machines: health, metrics, and the API description. Also served without the prefix,
 * where such machines expect them, and without a token (docs/spec/hub-api.md#operations).
 */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { LIVENESS } from "../../protocol/hub/answers/team.js";
import { oneOf } from "../../protocol/schema.js";
import { sendJson } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import type { HubContext } from "../context.js";
import { requireWritable } from "../database/database-unavailable.js";
import { LOGIN_PATH, LOGOUT_PATH } from "../oidc/sign-in-pages.js";
import { PROBE_TIMEOUT_MS, withTimeout } from "./metrics.js";

// Readiness: a process needs its database and its file store, both to write to. Without the bus, commands wait for the next poll of the
// database. A process that is about to end is not ready, while it still serves (docs/spec/hub-api.md#drain).

interface Readiness {
  readonly status: "ready" | "degraded" | "unready" | "ending";
  readonly database: Part;
  readonly store: Part;
  readonly bus: Part;
}

type Part = "up" | "down";

export async function readiness(
  context: Pick<HubContext, "bus" | "database" | "ending" | "files" | "processId">,
): Promise<Readiness> {
  const [database, store] = await Promise.all([part(requireWritable(context)), part(context.files.check())]);
  const bus = context.bus.isConnected ? "up" : "down";
  const status = context.ending.aborted ? "ending" : statusOf(database, store, bus);
  return { status, database, store, bus };
}

function statusOf(database: Part, store: Part, bus: Part): Readiness["status"] {
  if (database === "down" || store === "down") return "unready";
  return bus === "up" ? "ready" : "degraded";
}

async function part(probe: Promise<unknown>): Promise<Part> {
  try {
    await withTimeout(PROBE_TIMEOUT_MS, probe);
    return "up";
  } catch {
    return "down"; // the part that needed it logs the cause
  }
}

const PART = oneOf(["up", "down"]);

const LIVE = endpoint({
  method: "GET",
  path: "/health/live",
  tag: "Operations",
  summary:
    "Show whether the process runs, how people may sign in besides with tokens, and whether the catalogue is public.",
  access: "anyone",
  answers: { 200: LIVENESS },
  faults: [],
  handle: ({ config: { hasPublicCatalog, oidc } }) => ({
    status: "live",
    ...(hasPublicCatalog && { public_catalog: true }),
    ...(oidc && {
      sign_in: {
        name: oidc.name,
        url: oidc.hubUrl + LOGIN_PATH,
        sign_out_url: oidc.hubUrl + LOGOUT_PATH,
      },
    }),
  }),
});

const READY = endpoint({
  method: "GET",
  path: "/health/ready",
  tag: "Operations",
  summary:
    "Show whether the process is ready. Without the bus it is `degraded`, but works. An error answer has the same members.",
  access: "anyone",
  answers: {
    200: Type.Object({
      status: oneOf(["ready", "degraded"]),
      database: PART,
      store: PART,
      bus: PART,
    }),
  },
  faults: ["busy"],
  handle: async (services) => {
    const found = await readiness(services);
    if (found.status === "unready" || found.status === "ending")
      throw new Fault("busy", "The hub is not ready", { details: { ...found } });
    return found;
  },
});

const METRICS = endpoint({
  method: "GET",
  path: "/metrics",
  tag: "Operations",
  summary: "Show the metrics of the process and of the hub, for Prometheus.",
  access: "anyone",
  answers: { 200: "text/plain" },
  faults: [],
  handle: async ({ metrics }, { reply }) => {
    const text = await metrics.text();
    return reply.type(metrics.contentType).send(text);
  },
});

const DESCRIPTION = endpoint({
  method: "GET",
  path: "/openapi.json",
  tag: "Operations",
  summary: "Show this description (OpenAPI 3.1).",
  access: "anyone",
  answers: { 200: Type.Unknown() },
  faults: [],
  handle: (_services, { request, reply }) => sendJson(reply, request.server.description),
});

export const OPERATION_ENDPOINTS: readonly Endpoint[] = Object.freeze([LIVE, READY, METRICS, DESCRIPTION]);
