/** How the table of 10,000 consoles is read, beside as many of others: by indexes that begin with the account. */
import { randomUUID } from "node:crypto";
import { CompiledQuery, Kysely, SqliteDialect, sql } from "kysely";
import Sqlite from "libsql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "../../../hub/database/migrate.js";
import { postgresDialect } from "../../../hub/database/postgres.js";
import type { Database, Dialect, Tables } from "../../../hub/database/schema.js";
import { attention } from "../../../hub/fleet/attention.js";
import { type DeviceListQuery, listDevices } from "../../../hub/fleet/device-list.js";
import { Groups } from "../../../hub/fleet/groups.js";
import { isMissing } from "../../hosts/peers.js";
import { createTestDatabase, type TestDatabase } from "../hosts/test-database.js";
import { insertDevices } from "./inserted-fleet.js";

const CONSOLES = 10_000;

/** A page may take so long on a machine that runs other tests; alone it takes a tenth of it. */
const PAGE_LIMIT_MS = 250;

/** Rows of consoles as large as in life. */
const STATUS = JSON.stringify({
  firmware_version: "1.0.0",
  free_heap_bytes: 1,
  running_apps: ["a".repeat(200)],
});

const QUERIES: readonly DeviceListQuery[] = [
  {},
  ...(["name", "-name", "last_seen_at", "-last_seen_at", "firmware", "-firmware"] as const).map((sort) => ({
    sort,
  })),
  { q: "console 77", sort: "name" },
  { q: "a:b", sort: "name" },
  { status: "online", sort: "name" },
  { status: "offline", sort: "-last_seen_at" },
  { firmware_version: "1.0.3", sort: "name" },
  { arch: "arm", sort: "name" },
  { app_id: "tetris", sort: "name" },
  { app_id: "tetris", app_version: "1.0.1", sort: "name" },
  { tag: "shop", sort: "name" },
  { attention: true, sort: "name" },
  { attention: false, sort: "name" },
];

for (const dialect of ["sqlite", "postgres"] as const)
  describe.skipIf(dialect === "postgres" && isMissing("postgres"))(
    `The table of 10,000 consoles on ${dialect}`,
    () => {
      let server: TestDatabase | undefined;
      let database: Database;
      let accountId: string;
      const queries: CompiledQuery[] = [];

      beforeAll(async () => {
        if (dialect === "postgres") server = await createTestDatabase();
        database = new Kysely<Tables>({
          dialect: server
            ? postgresDialect(withoutScans(server.url), { onLost: () => {} })
            : new SqliteDialect({ database: new Sqlite(":memory:") as never }),
          log: ({ query }) => void queries.push(query),
        });
        await migrate(database, dialect);
        accountId = await filled(database, dialect);
      });
      afterAll(async () => {
        await database?.destroy();
        await server?.drop();
      });

      /** What the plans of all statements read without an index. */
      const scansOf = async (run: () => Promise<unknown>): Promise<readonly string[]> => {
        queries.length = 0;
        await run();
        const explain = dialect === "sqlite" ? "explain query plan" : "explain";
        const steps: string[] = [];
        for (const { sql: text, parameters } of queries.slice()) {
          const { rows } = await database.executeQuery<Record<string, string>>(
            CompiledQuery.raw(`${explain} ${text}`, [...parameters]),
          );
          steps.push(...rows.map((row) => `${row["detail"] ?? row["QUERY PLAN"]}`));
        }
        expect(steps.length).toBeGreaterThan(0);
        return steps.filter((step) => isScan(step));
      };
      const context = () => {
        const now = Date.now;
        return { database, dialect, now, groups: new Groups({ database, dialect, now }) };
      };

      for (const query of QUERIES)
        test(`${JSON.stringify(query)} reads the account's consoles alone, in time, and so does its next page`, async () => {
          const list = (after?: string) =>
            listDevices(context(), accountId, {
              ...query,
              per_page: 100,
              ...(after !== undefined && { after }),
            });
          const { next, total } = await list();
          expect(await scansOf(() => list())).toEqual([]);
          if (next !== undefined) expect(await scansOf(() => list(next))).toEqual([]);
          const since = performance.now();
          await list();
          expect([total > 0, performance.now() - since < PAGE_LIMIT_MS]).toEqual([true, true]);
        });

      test("what needs attention is counted in indexes", async () => {
        expect(await scansOf(() => attention(context(), accountId))).toEqual([]);
        expect(await attention(context(), accountId)).toMatchObject({
          devices_failed: 100,
          devices_offline: 200,
        });
      });
    },
  );

/** With the half of all rows in one account, the server would read the tables whole: it is to show that it need not. */
function withoutScans(address: string): string {
  const url = new URL(address);
  url.searchParams.set("options", "-c enable_seqscan=off -c jit=off");
  return url.href;
}

/** Processes are few; every other table is as large as the hub. */
function isScan(step: string): boolean {
  if (/processes/.test(step)) return false;
  return (
    /^SCAN (devices|held|installed_apps|device_tags|device_events|rollouts)/.test(step) ||
    /Seq Scan on/.test(step)
  );
}

/** @returns the account whose consoles are looked at */
async function filled(database: Database, dialect: Dialect): Promise<string> {
  const [own = "", other = ""] = [randomUUID(), randomUUID()];
  const now = Date.now();
  for (const id of [own, other])
    await database.insertInto("accounts").values({ id, token_hash: id, created_at: now }).execute();
  await database
    .insertInto("processes")
    .values({ id: "here", heartbeat_at: now + 3_600_000 })
    .execute();
  for (const account of [own, other]) {
    const ids = await insertDevices(
      database,
      account,
      Array.from({ length: CONSOLES }, (_, index) => ({
        firmware_version: `1.0.${index % 10}`,
        arch: index % 50 === 0 ? "arm" : "native",
        status: STATUS,
        last_seen_at: now - (index < 200 ? 2 * 24 * 3_600_000 : index),
        process_id: index >= 5000 ? "here" : null,
        apps: [
          { name: "tetris", version: `1.0.${index % 20}` },
          { name: "chess", version: "1.0.0" },
        ],
      })),
    );
    const tags = ids
      .filter((_, index) => index % 20 === 0)
      .map((device_id) => ({ account_id: account, tag: "shop", device_id }));
    await database.insertInto("device_tags").values(tags).execute();
    for (let round = 0; round < 4; round++)
      for (let at = 0; at < CONSOLES; at += 500)
        await database
          .insertInto("device_events")
          .values(
            ids.slice(at, at + 500).map((device_id, index) => ({
              device_id,
              account_id: account,
              at: now,
              connection: 1,
              command_id: null,
              details: null,
              kind: round === 0 && at + index < 100 ? ("failed" as const) : ("connected" as const),
            })),
          )
          .execute();
  }
  if (dialect === "postgres") await sql`vacuum analyze`.execute(database); // as the server does by itself
  return own;
}
