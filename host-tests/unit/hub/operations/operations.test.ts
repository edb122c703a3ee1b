import { describe, expect, test } from "vitest";
import type { HubContext } from "../../../../hub/context.js";
import { KeptResult, Metrics, type MetricsOptions, withTimeout } from "../../../../hub/operations/metrics.js";
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
  const query = { set: () => query, where: () => query, execute: database };
  const context = {
    database: { updateTable: () => query },
    files: { check: store },
    bus: { isConnected },
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

describe("The metrics of a hub", () => {
  const textOf = (check: () => Promise<unknown>, storagePath: string) =>
    new Metrics({
      database: {},
      logger: { warn: () => {} },
      push: { connections: 0 },
      bus: { isConnected: true },
      files: { check },
      config: { storagePath },
    } as unknown as MetricsOptions).text();

  test("with its files in a bucket and no folder have a store that is up, and no size", async () => {
    const text = await textOf(works, "/no/such/folder");
    expect(text).toMatch(/^svc_hub_store_up 1$/m);
    expect(text).not.toMatch(/^svc_hub_storage_/m);
  });

  test("that cannot store files have the size of its folder all the same", async () => {
    const text = await textOf(fails, "/");
    expect(text).toMatch(/^svc_hub_store_up 0$/m);
    expect(text).toMatch(/^svc_hub_storage_size_bytes [1-9]/m);
  });
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
    bus: { isConnected: false },
    files: { check: fails },
    config: { storagePath: "/no/such/folder" },
  } as unknown as MetricsOptions);
  metrics.observe("GET", "/api/v1/catalog", 200, 0.002);
  metrics.observer("GET", "/api/v1/catalog", 200)(0.002);
  metrics.observer("GET", "/api/v1/catalog", 304); // which has no request yet
  metrics.countEnded([
    ...[
      { state: "done", error: null } as const,
      { state: "failed", error: "storage_full" } as const,
      { state: "cancelled", error: "command_expired" } as const,
    ],
    ...[{ state: "cancelled", error: null } as const, { state: "replaced", error: null } as const],
  ]);
  const text = await metrics.text();
  for (const outcome of ["succeeded", "failed", "expired"])
    expect(text).toContain(`svc_hub_commands_ended_total{outcome="${outcome}"} 1`);
  expect(text).toContain("svc_hub_database_up 0");
  expect(text).toContain("svc_hub_connected_devices 3");
  expect(text).toMatch(/^svc_hub_store_up 0$/m);
  expect(text).toMatch(/^svc_hub_bus_up 0$/m);
  expect(text).not.toMatch(/^svc_hub_storage_/m);
  expect(text).toContain(
    'svc_hub_http_request_duration_seconds_count{method="GET",route="/api/v1/catalog",status="200"} 2',
  );
  expect(text).not.toContain(`status="304"`);
  expect(text).not.toMatch(
    /^svc_hub_(registered_devices|claimed_devices|pending_commands|published_apps|rollouts)[ {]/m,
  );
  expect(warnings).toHaveLength(1);
});

test("A result is kept for twenty times as long as its work took, and shared while it is made", async () => {
  let nowMs = 0;
  let made = 0;
  const kept = new KeptResult(
    async () => {
      nowMs += 10;
      return ++made;
    },
    () => nowMs,
  );
  expect(await Promise.all([kept.get(), kept.get()])).toEqual([1, 1]);
  nowMs += 199;
  expect(await kept.get()).toBe(1);
  nowMs += 1;
  expect(await Promise.all([kept.get(), kept.get()])).toEqual([2, 2]);
});

test("A failure of that work is not kept", async () => {
  let made = 0;
  const kept = new KeptResult(
    async () => {
      made += 1;
      if (made === 1) throw new Error("The database is unavailable");
      return made;
    },
    () => 0,
  );
  await expect(kept.get()).rejects.toThrow("unavailable");
  expect(await kept.get()).toBe(2);
});
