/** A PostgreSQL that answers and takes no writes, as a standby or after a failover (docs/spec/hub-api.md#operations). */
import { afterAll, assert, beforeAll, describe, test } from "vitest";
import { madeAccount } from "../api/people.js";
import { CLUSTERED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { inDatabase } from "../hosts/test-database.js";
import { eventually } from "../push/channel.js";

describe.skipIf(CLUSTERED_HUB.missing)("A hub whose PostgreSQL is read-only", () => {
  let hub: HubUnderTest;
  let token: string;
  let url: URL;
  /** For each connection from now on; those that are there end. */
  const setReadOnly = async (value: "on" | "off") => {
    const name = url.pathname.slice(1);
    const server = new URL("/postgres", url).href; // a session of the database itself may be read-only
    await inDatabase(server, `alter database ${name} set default_transaction_read_only = ${value}`);
    await inDatabase(
      server,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
  };
  const ready = () => request(hub.origin, "GET", "//health/ready");
  const databaseUp = async () => {
    const { bytes } = await request(hub.origin, "GET", "//metrics");
    return /^svc_hub_database_up (\d)$/m.exec(new TextDecoder().decode(bytes))?.[1];
  };
  beforeAll(async () => {
    hub = await CLUSTERED_HUB.start();
    url = new URL(hub.environment["SVC_HUB_DATABASE_URL"] ?? "");
    token = (await madeAccount(hub)).token;
    await setReadOnly("on");
    // A process may still be told of a connection that it has lost.
    for (const _ of hub.origins) await eventually(() => reads(), isRead);
  });
  afterAll(() => hub?.stop());

  const reads = () => request(hub.origin, "GET", "/account/devices", { token });
  const isRead = ({ status }: { readonly status: number }) => status === 200;

  test("answers reads, and writes with busy: not with a failure of its own", async () => {
    for (const _ of hub.origins) {
      assert.equal((await reads()).status, 200);
      const { status, headers, body } = await request(hub.origin, "POST", "/accounts");
      assert.deepEqual([status, body.error], [503, "busy"]);
      assert.equal(body.message, "The hub cannot write to its database: try again in a moment");
      assert.match(headers.get("retry-after") ?? "", /^\d+$/);
    }
  });

  test("is not ready, and its metrics say so", async () => {
    for (const _ of hub.origins) {
      const { status, body } = await ready();
      assert.deepEqual([status, body.status, body.database, body.store], [503, "unready", "down", "up"]);
      assert.equal(await databaseUp(), "0");
    }
  });

  test("is ready again when it can write", async () => {
    await setReadOnly("off");
    for (const _ of hub.origins) {
      await eventually(ready, isRead);
      assert.equal((await request(hub.origin, "POST", "/accounts")).status, 201);
      assert.equal(await databaseUp(), "1");
    }
  });
});
