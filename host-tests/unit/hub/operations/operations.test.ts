import { describe, expect, test } from "vitest";
import type { HubContext } from "../../../../hub/context.js";
import { Metrics, type MetricsOptions, withTimeout } from "../../../../hub/operations/metrics.js";
import { readiness } from "../../../../hub/operations/operation-endpoints.js";

interface Parts {
  readonly database?: () => Promise<unknown>;
  readonly store?: () => Promise<unknown>;
  readonly isConnected?: boolean;
  readonly ending?: AbortSignal;
}

const works = async () => ({});
const fails = async () => {
  throw new Error("connect ECONNREFUSED");
};

function partsOf({ database = works, ending, store = works, isConnected = true }: Parts) {
  const query = { select: () => query, executeTakeFirstOrThrow: database };
  const context = {
    ...{ database: { selectFrom: () => query }, files: { check: store }, bus: { isConnected } },
    ending: ending ?? new AbortController().signal,
  };
  return context as unknown as HubContext;
}

const PARTS = [
  {
    name: "is ready if all parts are",
    parts: {},
    found: { status: "ready", database: "up", store: "up", bus: "up" },
  },
  {
    name: "is degraded, and still ready, without the bus",
    parts: { isConnected: false },
    found: { status: "degraded", database: "up", store: "up", bus: "down" },
  },
  {
    name: "is not ready without the database",
    parts: { database: fails },
    found: { status: "unready", database: "down", store: "up", bus: "up" },
  },
  {
    name: "is not ready once it is about to end",
    parts: { ending: AbortSignal.abort() },
    found: { status: "ending", database: "up", store: "up", bus: "up" },
  },
  {
    name: "is not ready if it cannot store files",
    parts: { store: fails },
    found: { status: "unready", database: "up", store: "down", bus: "up" },
  },
] as const;

describe("A process of the hub", () => {
  for (const { name, parts, found } of PARTS)
    test(name, async () => {
      expect(await readiness(partsOf(parts))).toEqual(found);
    });
});

test("A check that takes too long fails", async () => {
  await expect(withTimeout(1, new Promise(() => {}))).rejects.toThrow("more than 1 ms");
  expect(await withTimeout(1000, Promise.resolve("done"))).toBe("done");
  await expect(withTimeout(1000, Promise.reject(new Error("at once")))).rejects.toThrow("at once");
});

test("Metrics leave out values that cannot be counted, and log that", async () => {
  const warnings: unknown[] = [];
  const query = new Proxy(
    {},
    { get: (_query, name) => (/^execute/.test(String(name)) ? fails : () => query) },
  );
  const metrics = new Metrics({
    database: query,
    logger: { warn: (...line: unknown[]) => void warnings.push(line) },
    push: { connections: 3 },
  } as unknown as MetricsOptions);
  metrics.observe("GET", "/api/v1/catalog", 200, 0.002);
  const text = await metrics.text();
  expect(text).toContain("svc_hub_database_up 0");
  expect(text).toContain("svc_hub_connected_devices 3");
  expect(text).toContain(
    'svc_hub_http_request_duration_seconds_count{method="GET",route="/api/v1/catalog",status="200"} 1',
  );
  expect(text).not.toMatch(/^svc_hub_(registered_devices|pending_commands|published_apps|rollouts)[ {]/m);
  expect(warnings).toHaveLength(1);
});
