/** Heartbeats of the hub's processes, and processes that count as dead. */
import { afterEach, assert, beforeEach, expect, test, vi } from "vitest";
import type { HubContext } from "../../../hub/context.js";
import { PROCESS_FRESH_MS, Processes } from "../../../hub/processes.js";
import { silentLogger } from "../../hub/hosts/silent-logger.js";
import { openTemporaryDatabase, type TemporaryDatabase } from "./database/temporary-database.js";

let opened: TemporaryDatabase;
beforeEach(async () => {
  opened = await openTemporaryDatabase();
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.close();
});

const processesOf = (processId: string) =>
  new Processes({ ...opened, processId, logger: silentLogger, now: Date.now } as unknown as HubContext, {
    measure: async () => {},
  });
const heartbeats = () => opened.database.selectFrom("processes").selectAll().execute();
const alive = async () => (await heartbeats()).map(({ id }) => id).sort();

/** Heartbeats for so long, every five seconds. */
async function live(processes: Processes, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    vi.setSystemTime(Date.now() + 5000);
    await processes.heartbeat();
  }
}

test("a process is listed from its start to its end", async () => {
  const processes = processesOf("a");
  await processes.start();
  assert.deepEqual(await alive(), ["a"]);
  await processes.close();
  assert.deepEqual(await alive(), []);
});

test("a process renews its heartbeat in half the time for which it counts as fresh", async () => {
  const processes = processesOf("a");
  await processes.start();
  const [first] = await heartbeats();
  await vi.advanceTimersByTimeAsync(PROCESS_FRESH_MS / 2);
  await expect.poll(async () => (await heartbeats())[0]?.heartbeat_at).not.toBe(first?.heartbeat_at);
  await processes.close();
});

test("a closed process keeps no timer", async () => {
  const processes = processesOf("a");
  await processes.start();
  await processes.close();
  assert.equal(vi.getTimerCount(), 0);
});

test("a process that has been silent for minutes is removed by the others, and its devices belong to no process", async () => {
  await processesOf("dead").heartbeat();
  await opened.database.insertInto("devices").values(deviceOf("dead")).execute();
  const processes = processesOf("a");
  await live(processes, 600);
  assert.deepEqual(await alive(), ["a", "dead"]);
  await live(processes, 60);
  assert.deepEqual(await alive(), ["a"]);
  const device = await opened.database.selectFrom("devices").select("process_id").executeTakeFirst();
  assert.isNull(device?.process_id);
});

test("processes that come back late after a long outage of the database are not removed", async () => {
  await processesOf("later").heartbeat();
  const processes = processesOf("a");
  await live(processes, 55);
  const away = vi.spyOn(opened.database, "insertInto").mockImplementation(() => {
    throw new Error("away");
  });
  await expect(live(processes, 5)).rejects.toThrow("away");
  away.mockRestore();
  vi.setSystemTime(Date.now() + 3_600_000);
  await live(processes, 55);
  assert.deepEqual(await alive(), ["a", "later"]);
  await live(processes, 5);
  assert.deepEqual(await alive(), ["a"]);
});

function deviceOf(process_id: string) {
  return {
    id: "d",
    token_hash: "h",
    mac: "02:00:00:00:00:01",
    name: "Console",
    arch: "native",
    firmware_version: "1.0.0",
    registered_at: 0,
    process_id,
  };
}
