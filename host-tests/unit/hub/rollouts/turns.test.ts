import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, test } from "vitest";
import { LocalBus } from "../../../../hub/bus/bus.js";
import { Commands } from "../../../../hub/commands/commands.js";
import type { HubContext } from "../../../../hub/context.js";
import { openDatabase } from "../../../../hub/database/open-database.js";
import type { CommandState, Database, Row } from "../../../../hub/database/schema.js";
import { inPieces } from "../../../../hub/database/transactions.js";
import { rolloutsDue } from "../../../../hub/rollouts/rollout-update.js";
import { Rollouts, type RolloutsOptions } from "../../../../hub/rollouts/rollouts.js";

const ACCOUNT = "account";
const APP = { kind: "app", app_id: "bricks" } as const;

let storagePath: string;
let database: Database;
let context: HubContext;

beforeEach(async () => {
  storagePath = await mkdtemp(path.join(tmpdir(), "rollouts-"));
  database = (await openDatabase({ storagePath, databaseUrl: undefined })).database;
  const logger = { warn() {} };
  context = {
    ...{ database, dialect: "sqlite", bus: new LocalBus(), logger, processId: "process", now: Date.now },
    config: { expireMs: 1_000_000 },
  } as unknown as HubContext;
  const account = { id: ACCOUNT, token_hash: ACCOUNT, created_at: 0 };
  await database.insertInto("accounts").values(account).execute();
});
afterEach(async () => {
  await database.destroy();
  await rm(storagePath, { recursive: true });
});

async function addDevices(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => ({
    ...{ id: `device ${at}`, token_hash: `${at}`, mac: `${at}`, name: `${at}`, arch: "native" },
    ...{ firmware_version: "1.0.0", account_id: ACCOUNT, registered_at: 0 },
  }));
  for (const piece of inPieces(rows)) await database.insertInto("devices").values(piece).execute();
}

function rolloutsOf(commands: Commands): Rollouts {
  const catalog = { requireVersion: async (app_id: string) => ({ app_id, version: "1.0.0" }) };
  return new Rollouts({ ...context, catalog, commands } as unknown as RolloutsOptions);
}

function devicesIn(state: Row<"rollout_devices">["state"]): Promise<number> {
  return countOf("rollout_devices", state);
}

async function countOf(table: "rollout_devices" | "commands", state: string): Promise<number> {
  const { count } = await database
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("state", "=", state as never)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Ends all pending commands, without notification. */
async function end(state: CommandState): Promise<void> {
  await database.updateTable("commands").set({ state }).where("state", "=", "pending").execute();
}

async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await setTimeout(5);
}

const stateOf = async (rolloutId: string) =>
  (await database.selectFrom("rollouts").select("state").where("id", "=", rolloutId).executeTakeFirst())
    ?.state;

describe("Turns of a rollout", () => {
  test("send to over a thousand devices in portions, once to each", async () => {
    await addDevices(1200);
    const rollouts = rolloutsOf(new Commands(context));
    const { id } = await rollouts.create(ACCOUNT, APP);
    await until(async () => (await devicesIn("sent")) === 1200);
    assert.equal(await countOf("commands", "pending"), 1200);
    await rollouts.close();
    assert.equal(await stateOf(id), "running");
  });

  test("by two processes at once send nothing twice", async () => {
    await addDevices(1100);
    const steps = [10, 20, 40, 80, 100].map((percent) => ({ percent, success_percent: 0 }));
    const both = [rolloutsOf(new Commands(context)), rolloutsOf(new Commands(context))];
    await both[0]?.create(ACCOUNT, { ...APP, steps });
    for (const each of both) each.start();
    await until(async () => (await devicesIn("sent")) === 1100);
    assert.equal(await countOf("commands", "pending"), 1100);
    assert.equal(await countOf("commands", "replaced"), 0);
    for (const each of both) await each.close();
  });

  test("find results without a notification", async () => {
    await addDevices(10);
    const first = rolloutsOf(new Commands(context));
    const { id } = await first.create(ACCOUNT, { ...APP, steps: [{ percent: 50 }, { percent: 100 }] });
    await first.close();
    await end("done");
    const second = rolloutsOf(new Commands(context)); // which knows of nothing but the database
    second.start();
    await until(async () => (await devicesIn("succeeded")) === 5);
    assert.equal(await devicesIn("sent"), 5);
    await second.close();
    await end("done");
    const third = rolloutsOf(new Commands(context));
    third.start();
    await until(async () => (await stateOf(id)) === "completed");
    await third.close();
  });

  test("are applied as a whole or not at all", async () => {
    await addDevices(3);
    const commands = new Commands(context);
    const give = commands.enqueue.bind(commands);
    commands.enqueue = async (...orders) => {
      await give(...orders);
      throw new Error("the process ends here");
    };
    const failing = rolloutsOf(commands);
    await failing.create(ACCOUNT, APP);
    await failing.close();
    assert.deepEqual([await devicesIn("waiting"), await countOf("commands", "pending")], [3, 0]);
    const next = rolloutsOf(new Commands(context));
    next.start();
    await until(async () => (await devicesIn("sent")) === 3);
    await next.close();
    assert.equal(await countOf("commands", "pending"), 3);
  });

  test("are skipped if nothing has changed, whether the rollout is paused or waits for results", async () => {
    await addDevices(10);
    const rollouts = rolloutsOf(new Commands(context));
    const steps = [{ percent: 50 }, { percent: 100 }];
    const create = () => rollouts.create(ACCOUNT, { ...APP, steps });
    const [first, second] = [await create(), await create(), await create()];
    await rollouts.change(ACCOUNT, `${first.id}`, "pause");
    const due = await rolloutsDue(database);
    await rollouts.close();
    // The newest has replaced the commands of both others, which the first has seen when it was paused; the second may
    // have seen it by now.
    const others = due.filter((id) => id !== second.id);
    assert.deepEqual(others, []);
    const next = rolloutsOf(new Commands(context));
    next.start();
    await until(async () => (await rolloutsDue(database)).length === 0);
    const revisions = () => database.selectFrom("rollouts").select(["id", "revision"]).execute();
    const before = await revisions();
    await next.poll();
    await next.poll();
    await next.close();
    assert.deepEqual(await revisions(), before);
  });

  test("record the result of each command", async () => {
    await addDevices(4);
    const rollouts = rolloutsOf(new Commands(context));
    const { id } = await rollouts.create(ACCOUNT, APP);
    await rollouts.close();
    const states = ["done", "failed", "replaced", "cancelled"] as const;
    for (const [at, state] of states.entries())
      await database
        .updateTable("commands")
        .set({ state, error: state === "failed" ? "storage_full" : null })
        .where("device_id", "=", `device ${at}`)
        .execute();
    const next = rolloutsOf(new Commands(context));
    next.start();
    await until(async () => (await stateOf(id)) === "completed");
    await next.close();
    const rows = await database
      .selectFrom("rollout_devices")
      .select(["state", "error"])
      .orderBy("device_id")
      .execute();
    assert.deepEqual(
      rows.map(({ error, state }) => [state, error]),
      [
        ["succeeded", null],
        ["failed", "storage_full"],
        ["cancelled", null],
        ["cancelled", null],
      ],
    );
  });
});
