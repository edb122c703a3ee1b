/** The history of a console that connects again and again, while no clean-up runs. */
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { type DeviceEvent, EVENTS_LIMIT, writeEvents } from "../../../../hub/history/device-events.js";
import { History } from "../../../../hub/history/history.js";
import { insertDevices } from "../../../hub/fleet/inserted-fleet.js";
import { silentLogger } from "../../../hub/hosts/silent-logger.js";
import { openMemoryDatabase, openTemporaryDatabase } from "../database/temporary-database.js";

async function historyOfOne() {
  const opened = await openTemporaryDatabase();
  onTestFinished(() => opened.close());
  const { database } = opened;
  const accountId = randomUUID();
  await database
    .insertInto("accounts")
    .values({ id: accountId, token_hash: "test", created_at: 0 })
    .execute();
  const [deviceId = ""] = await insertDevices(database, accountId, [{}]);
  const history = new History({ database, dialect: "sqlite", logger: silentLogger, now: Date.now });
  return { database, deviceId, accountId, history };
}

test("a process keeps little more than the newest thousand events of a console, without the clean-up", async () => {
  const { database, deviceId, history } = await historyOfOne();
  for (let connection = 1; connection <= 3000; connection++) {
    history.add({ deviceId, kind: "connected", connection });
    if (connection % 500 === 0) await history.close();
  }
  await history.close();
  const rows = await database.selectFrom("device_events").select("connection").orderBy("position").execute();
  expect(rows.length).toBeGreaterThanOrEqual(EVENTS_LIMIT);
  expect(rows.length).toBeLessThanOrEqual(EVENTS_LIMIT + 200);
  expect(rows.at(-1)).toEqual({ connection: 3000 });
});

// Outside a transaction, each statement waits for the disk.
test("events in many short rows of the same kind are stored by few statements, in their order", async () => {
  let statements = 0;
  const database = await openMemoryDatabase(() => void statements++);
  onTestFinished(() => database.destroy());
  await database
    .insertInto("accounts")
    .values({ id: "account", token_hash: "test", created_at: 0 })
    .execute();
  const [deviceId = ""] = await insertDevices(database, "account", [{}]);
  const details = { command: "uninstall", app_id: "bricks" } as const;
  const events = Array.from({ length: 500 }, (_, at): DeviceEvent => {
    const event = { deviceId, at, connection: at };
    return at % 20 === 0 ? { ...event, kind: "connected" } : { ...event, kind: "sent", details };
  });
  statements = 0;
  await writeEvents(database, "sqlite", events);
  expect(statements).toBeLessThan(20);
  const rows = await database.selectFrom("device_events").select("connection").orderBy("position").execute();
  expect(rows.map(({ connection }) => connection)).toEqual(events.map(({ at }) => at));
});

test("a console that no account holds has no events", async () => {
  const { database, deviceId, history } = await historyOfOne();
  await database.updateTable("devices").set({ account_id: null }).execute();
  history.add({ deviceId, kind: "connected", connection: 1 });
  await history.close();
  expect(await database.selectFrom("device_events").selectAll().execute()).toEqual([]);
});
