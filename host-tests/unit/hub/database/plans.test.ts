/** How SQLite reads what is asked most: from an index, in its order. PostgreSQL has the same indexes. */
import { CompiledQuery } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listApps } from "../../../../hub/catalog/catalog-list.js";
import { dequeueUnsent, replacePending } from "../../../../hub/commands/command-rows.js";
import type { Database } from "../../../../hub/database/schema.js";
import { markDisconnected } from "../../../../hub/push/presence.js";
import { recordEnded } from "../../../../hub/rollouts/rollout-results.js";
import { openMemoryDatabase } from "./temporary-database.js";

let database: Database;
const queries: CompiledQuery[] = [];
beforeAll(async () => {
  database = await openMemoryDatabase((query) => void queries.push(query));
});
afterAll(() => database.destroy());

/** The steps of all statements that `run` executes. */
async function planOf(run: () => Promise<unknown>): Promise<string[]> {
  queries.length = 0;
  await run();
  const steps: string[] = [];
  for (const { sql, parameters } of queries.slice()) {
    const explained = CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]);
    const { rows } = await database.executeQuery<{ readonly detail: string }>(explained);
    steps.push(...rows.map(({ detail }) => detail));
  }
  return steps;
}

const ORDERS = [
  { sort: "name", index: "apps_by_name" },
  { sort: "-name", index: "apps_by_name" },
  { sort: "published_at", index: "apps_listed" },
  { sort: "-published_at", index: "apps_listed" },
] as const;
for (const { sort, index } of ORDERS)
  test(`A page of the catalogue, sorted by ${sort}, is read in the order of an index`, async () => {
    const plan = await planOf(() => listApps({ database, dialect: "sqlite" }, { sort }, ""));
    expect(plan).toContainEqual(expect.stringContaining(`USING INDEX ${index}`));
    expect(plan).not.toContainEqual(expect.stringContaining("TEMP B-TREE"));
  });

test("Commands to send are found among those that were never sent", async () => {
  const plan = await planOf(() =>
    dequeueUnsent({ database, dialect: "sqlite", processId: "process" }, undefined),
  );
  expect(plan).toContainEqual(expect.stringContaining("commands_unsent"));
});

// Else each result of a rollout would take longer the more devices the rollout has.
test("The devices whose commands have ended are found by their ids", async () => {
  const ended = ["one", "two"].map((device_id) => ({ device_id, state: "done", error: null }) as const);
  const plan = await planOf(() => recordEnded({ database, dialect: "sqlite", now: 1 }, "rollout", ended));
  expect(plan).toContainEqual(
    expect.stringMatching(/SEARCH rollout_devices USING INDEX \S+ \(rollout_id=\? AND device_id=\?\)/),
  );
});

test("Pending commands that are replaced are found by device and subject", async () => {
  const plan = await planOf(() => replacePending({ database, dialect: "sqlite" }, ["one", "two"], "app", 1));
  expect(plan).toContainEqual(expect.stringMatching(/commands_pending \(device_id=\? AND subject=\?\)/));
});

test("Consoles whose connections end are found by their ids, however many their process has", async () => {
  const context = { dialect: "sqlite", now: Date.now, processId: "process" } as const;
  const gone = ["one", "two"].map((deviceId) => ({ deviceId, connection: 1 }));
  const plan = await planOf(() => markDisconnected(context, gone).execute(database));
  expect(plan).toContainEqual(expect.stringMatching(/SEARCH devices USING INDEX \S+ \(id=\?\)/));
});
