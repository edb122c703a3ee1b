import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { afterAll, expect, test } from "vitest";
import { Coalesced } from "../../../../hub/coalesced.js";
import type { Checkpoints } from "../../../../hub/database/checkpoints.js";
import { DurableDriver, type WriteAheadLog } from "../../../../hub/database/durable-driver.js";
import { openDatabase } from "../../../../hub/database/open-database.js";
import type { Tables } from "../../../../hub/database/schema.js";

const directory = mkdtempSync(path.join(tmpdir(), "durable-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** A file whose flushes the test ends. */
function heldFile() {
  const ends: { done: () => void; fail: (error: Error) => void }[] = [];
  const flush = () => new Promise<void>((resolve, reject) => ends.push({ done: resolve, fail: reject }));
  return { ends, flush };
}

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const not = Symbol();
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  return (await Promise.race([promise.then(() => true), Promise.resolve(not)])) !== not;
}

test("a flush requested during another one waits for the next one", async () => {
  const { ends, flush } = heldFile();
  const flushes = new Coalesced(flush);
  const first = flushes.request();
  const second = flushes.request();
  ends[0]?.done();
  await first;
  expect(await isSettled(second)).toBe(false);
  ends[1]?.done();
  await second;
});

test("all requests during a flush share the next one", async () => {
  const { ends, flush } = heldFile();
  const flushes = new Coalesced(flush);
  const all = [flushes.request(), flushes.request(), flushes.request(), flushes.request()];
  ends[0]?.done();
  await all[0];
  ends[1]?.done();
  await Promise.all(all);
  expect(ends).toHaveLength(2);
});

test("a failed flush rejects its own requests, and not those of the next", async () => {
  const { ends, flush } = heldFile();
  const flushes = new Coalesced(flush);
  const first = flushes.request();
  const second = flushes.request();
  ends[0]?.fail(new Error("no space left"));
  await expect(first).rejects.toThrow("no space left");
  ends[1]?.done();
  await second;
});

/** A driver of one idle connection, whose log is flushed by `flush`. */
function driverOver(flush: () => Promise<void>) {
  const connection = { executeQuery: async () => ({ rows: [] }) } as unknown as DatabaseConnection;
  let isFree = true;
  const inner = {
    acquireConnection: async () => {
      isFree = false;
      return connection;
    },
    releaseConnection: async () => {
      isFree = true;
    },
  } as unknown as Driver;
  const checkpoints = { onWritten() {} } as unknown as Checkpoints;
  const driver = new DurableDriver(inner, { flush } as WriteAheadLog, checkpoints);
  return { driver, isFree: () => isFree };
}

/** A database without a driver. */
const compilesOnly: Dialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (database) => new SqliteIntrospector(database),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

const query = (kind: string) => ({ query: { kind }, parameters: [] }) as unknown as CompiledQuery;

test("a writer waits for the flush, while others use the connection", async () => {
  const { ends, flush } = heldFile();
  const { driver, isFree } = driverOver(flush);
  const connection = await driver.acquireConnection();
  await connection.executeQuery(query("InsertQueryNode"));
  const released = driver.releaseConnection(connection);
  expect(await isSettled(released)).toBe(false);
  expect(isFree()).toBe(true);
  ends[0]?.done();
  await released;
});

test("who counts attempts does not wait for a flush", async () => {
  const { ends, flush } = heldFile();
  const { driver } = driverOver(flush);
  const connection = await driver.acquireConnection();
  const database = new Kysely<Tables>({ dialect: compilesOnly });
  const counting = database.insertInto("rate_limits").values({ key: "claim", window_at: 0, count: 1 });
  await connection.executeQuery(counting.compile());
  await driver.releaseConnection(connection);
  expect(ends).toHaveLength(0);
  await connection.executeQuery(database.updateTable("devices").set({ name: "" }).compile());
  void driver.releaseConnection(connection);
  await expect.poll(() => ends.length).toBe(1);
});

test("a reader does not wait for a flush", async () => {
  const { ends, flush } = heldFile();
  const { driver } = driverOver(flush);
  const connection = await driver.acquireConnection();
  await connection.executeQuery(query("SelectQueryNode"));
  await driver.releaseConnection(connection);
  expect(ends).toHaveLength(0);
});

test("a database is written to, closed, and reopened with the written rows", async () => {
  const settings = { databaseUrl: undefined, storagePath: path.join(directory, "hub") };
  const first = await openDatabase(settings);
  await first.database
    .insertInto("accounts")
    .values({ id: "one", token_hash: "hash", created_at: 1 })
    .execute();
  await first.database.destroy();
  const second = await openDatabase(settings);
  expect(await second.database.selectFrom("accounts").select("id").execute()).toEqual([{ id: "one" }]);
  expect(second.hubId).toBe(first.hubId);
  await second.database.destroy();
});
