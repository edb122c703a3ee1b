import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, test } from "vitest";
import { LocalBus } from "../../../../hub/bus/bus.js";
import type { DeviceResult } from "../../../../hub/commands/command-results.js";
import { Commands } from "../../../../hub/commands/commands.js";
import type { HubContext } from "../../../../hub/context.js";
import { openDatabase } from "../../../../hub/database/open-database.js";
import type { CommandState, Database, Row } from "../../../../hub/database/schema.js";
import { inPieces } from "../../../../hub/database/transactions.js";
import { countsOf, rolloutAnswers } from "../../../../hub/rollouts/rollout-counts.js";
import { removeFromRollouts, rolloutsDue } from "../../../../hub/rollouts/rollout-update.js";
import { Rollouts, type RolloutsOptions } from "../../../../hub/rollouts/rollouts.js";

const ACCOUNT = "account";
const APP = { kind: "app", app_id: "bricks" } as const;

/** Of a wait: a test that waits beyond its own end would never be reported. */
const LIMIT_MS = 20_000;

let storagePath: string;
let database: Database;
let context: HubContext;

beforeEach(async () => {
  storagePath = await mkdtemp(path.join(tmpdir(), "rollouts-"));
  database = (await openDatabase({ storagePath, databaseUrl: undefined })).database;
  const logger = { debug() {}, warn() {} };
  context = {
    database,
    dialect: "sqlite",
    bus: new LocalBus(),
    logger,
    processId: "process",
    now: Date.now,
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
    id: `device ${at}`,
    token_hash: `${at}`,
    mac: `${at}`,
    name: `${at}`,
    arch: "native",
    firmware_version: "1.0.0",
    account_id: ACCOUNT,
    registered_at: 0,
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

/** Gives every n-th device back. */
async function release(every: number): Promise<void> {
  const devices = await database.selectFrom("devices").select("id").orderBy("id").execute();
  for (const { id } of devices.filter((_, at) => at % every === 0))
    await database.transaction().execute(async (transaction) => {
      await removeFromRollouts(transaction, { accountId: ACCOUNT, deviceId: id, now: 1 });
      await transaction.updateTable("devices").set({ account_id: null }).where("id", "=", id).execute();
    });
}

const resultOf = ({ id, subject }: Row<"commands">, success: boolean) =>
  ({
    type: "app.install.result",
    command_id: id,
    app_id: subject,
    success,
    error: success ? null : "storage_full",
  }) as DeviceResult["result"];

/** Every third device fails. */
const answerOf = (row: Row<"commands">): DeviceResult => ({
  deviceId: row.device_id,
  connection: 0,
  result: resultOf(row, row.position % 3 !== 0),
});

/** Ends all pending commands, without notification. */
async function end(state: CommandState): Promise<void> {
  await database.updateTable("commands").set({ state }).where("state", "=", "pending").execute();
}

async function until(look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error("It has not come to this in time");
    await setTimeout(5);
  }
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

  test("count its devices at no time, however often the process looks for rollouts that are due", async () => {
    await addDevices(1200);
    let countings = 0;
    database = database.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes("count(*) as devices")) countings += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    context = { ...context, database };
    const rollouts = rolloutsOf(new Commands(context));
    let isSent = false;
    const polling = (async () => {
      while (!isSent) await Promise.all([rollouts.poll(), setTimeout(0)]);
    })();
    const { id } = await rollouts.create(ACCOUNT, APP);
    await until(async () => (await devicesIn("sent")) === 1200);
    isSent = true;
    await polling;
    await rollouts.close();
    assert.equal(countings, 0);
    assert.equal(
      (await rolloutAnswers(database, [await rollouts.require(ACCOUNT, id)]))[0]?.total.sent,
      1200,
    );
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
    const store = commands.store.bind(commands);
    commands.store = async (...orders) => {
      await store(...orders);
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

  // As another process does between the look at the devices that wait and the lock on them.
  test("go on at once where all devices of one have been released meanwhile, and end the rollout with the last", async () => {
    await addDevices(1200);
    const commands = new Commands(context);
    const store = commands.store.bind(commands);
    commands.store = async (transaction, ...orders) => {
      await transaction.updateTable("devices").set({ account_id: null }).execute();
      return store(transaction, ...orders);
    };
    const rollouts = rolloutsOf(commands); // which does not poll
    const { id } = await rollouts.create(ACCOUNT, APP);
    await until(async () => (await stateOf(id)) === "completed");
    await rollouts.close();
    assert.deepEqual([await devicesIn("cancelled"), await countOf("commands", "pending")], [1200, 0]);
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

  test("count what they change as counting all devices does", async () => {
    await addDevices(300);
    const commands = new Commands(context);
    const rollouts = rolloutsOf(commands);
    const steps = [10, 50, 100].map((percent) => ({ percent, success_percent: 0 }));
    const { id } = await rollouts.create(ACCOUNT, { ...APP, steps });
    rollouts.start();
    await release(7); // some of the first step, some that wait
    for (;;) {
      const rows = await database.selectFrom("commands").selectAll().where("state", "=", "pending").execute();
      if (rows.length > 0) await commands.apply(rows.map(answerOf));
      else if ((await stateOf(id)) === "completed") break;
      else await setTimeout(5);
      const row = await rollouts.require(ACCOUNT, id);
      if (row.counts_revision !== row.revision) continue; // between a release and the next update
      const counted = (await countsOf(database, [row])).get(id);
      const again = await rollouts.require(ACCOUNT, id);
      if (again.revision === row.revision) assert.deepEqual(JSON.parse(`${row.counts}`), counted);
    }
    await rollouts.close();
  });

  test("find what has ended though an update with it has failed", async () => {
    await addDevices(10);
    const commands = new Commands(context);
    const rollouts = rolloutsOf(commands);
    const { id } = await rollouts.create(ACCOUNT, { ...APP, steps: [{ percent: 50 }, { percent: 100 }] });
    rollouts.start();
    const store = commands.store.bind(commands);
    let failures = 0;
    commands.store = async (...orders) => {
      if (failures++ === 0) throw new Error("The database is away");
      return store(...orders);
    };
    const rows = await database.selectFrom("commands").selectAll().execute();
    await commands.apply(rows.map((row) => ({ ...answerOf(row), result: resultOf(row, true) })));
    await until(async () => (await devicesIn("succeeded")) === 5);
    assert.equal(failures, 2);
    assert.equal(await devicesIn("sent"), 5);
    assert.equal(await stateOf(id), "running");
    await rollouts.close();
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
