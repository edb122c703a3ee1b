/** Counts of rollouts in lists: stored, or counted in one statement where they are outdated. */
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database, RolloutDeviceState, Row } from "../../../../hub/database/schema.js";
import { countsAtFirst, countsOf, rolloutAnswers } from "../../../../hub/rollouts/rollout-counts.js";
import { openMemoryDatabase } from "../database/temporary-database.js";

let database: Database;
const statements: string[] = [];
beforeAll(async () => {
  database = await openMemoryDatabase((query) => void statements.push(query.sql));
  await sql`pragma foreign_keys = off`.execute(database);
});
afterAll(() => database.destroy());

const NONE = { waiting: 0, sent: 0, succeeded: 0, failed: 0, cancelled: 0 };
const STEP = { percent: 100, success_percent: 100, error_percent: 100 };

/** A rollout of one step, whose devices have these states. */
async function rolloutWith(id: string, states: readonly RolloutDeviceState[]): Promise<Row<"rollouts">> {
  for (const [position, state] of states.entries()) {
    const device = { rollout_id: id, device_id: `${position}`, position, state, error: null, updated_at: 1 };
    await database.insertInto("rollout_devices").values(device).execute();
  }
  return {
    id,
    account_id: "account",
    kind: "app",
    subject: "game",
    version: "1.0.0",
    step: 0,
    steps: JSON.stringify([{ ...STEP, end: states.length }]),
    state: "running",
    reason: null,
    expires_at: null,
    revision: 7,
    counts: null,
    counts_revision: null,
    created_at: 1,
    updated_at: 1,
  };
}

test("Rollouts whose counts are of their present revision are listed without reading their devices", async () => {
  const row = await rolloutWith("stored", ["waiting", "waiting"]);
  const counts = JSON.stringify([{ ...NONE, waiting: 1, sent: 1 }]);
  statements.length = 0;
  const [answer] = await rolloutAnswers(database, [{ ...row, counts, counts_revision: 7 }]);
  expect(statements).toEqual([]);
  expect(answer?.total).toEqual({ ...NONE, devices: 2, waiting: 1, sent: 1 });
});

test("The devices of rollouts with outdated counts are counted in one statement", async () => {
  const counts = JSON.stringify([{ ...NONE, waiting: 2 }]);
  const rows = [
    { ...(await rolloutWith("of an older process", ["succeeded", "failed"])), counts, counts_revision: 6 },
    await rolloutWith("never counted", ["sent", "cancelled", "cancelled"]),
    { ...(await rolloutWith("current", [])), counts, counts_revision: 7 },
  ];
  statements.length = 0;
  const answers = await rolloutAnswers(database, rows);
  expect(statements).toHaveLength(1);
  expect(answers.map(({ total }) => total)).toEqual([
    { ...NONE, devices: 2, succeeded: 1, failed: 1 },
    { ...NONE, devices: 3, sent: 1, cancelled: 2 },
    { ...NONE, devices: 2, waiting: 2 },
  ]);
});

test("The devices of a large rollout are counted in several statements, through an index", async () => {
  await sql`
    with recursive devices (position) as (select 0 union all select position + 1 from devices where position < 12344)
    insert into rollout_devices (rollout_id, device_id, position, state, error, updated_at)
    select 'large', position, position, iif(position % 5 = 0, 'failed', 'succeeded'), null, 1 from devices`.execute(
    database,
  );
  const steps = [5003, 12_345].map((end) => ({ ...STEP, end }));
  statements.length = 0;
  const counts = await countsOf(database, [{ id: "large", steps: JSON.stringify(steps) }]);
  expect(counts.get("large")).toEqual([
    { ...NONE, failed: 1001, succeeded: 4002 },
    { ...NONE, failed: 1468, succeeded: 5874 },
  ]);
  expect(statements).toHaveLength(3);
  const [counting = ""] = statements;
  const { rows } = await sql<{
    detail: string;
  }>`explain query plan ${sql.raw(counting.replaceAll("?", "''"))}`.execute(database);
  expect(rows.map(({ detail }) => detail).join()).toMatch(
    /rollout_devices_in_turn \(rollout_id=\? AND state=\? AND position>\? AND position<\?\)/,
  );
});

test("At first the devices of each step wait, and a step may have none", () => {
  const steps = [2, 2, 5].map((end) => ({ ...STEP, end }));
  expect(countsAtFirst(steps)).toEqual([2, 0, 3].map((waiting) => ({ ...NONE, waiting })));
});
