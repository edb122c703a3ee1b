/**
 * One secret per hub: a process or operator command with another one is refused (docs/hub.md)
 * (docs/spec/hub-api.md#token-hash).
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ConfigError } from "../../../hub/config/variables.js";
import { withPublishers } from "../../../hub/operator.js";
import { HubDidNotStart, HubProcess } from "../hosts/hub-process.js";
import { CLUSTERED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { createTestDatabase, inDatabase, type TestDatabase } from "../hosts/test-database.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The secret of a hub on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub.stop());
    const otherwise = () => ({ ...hub.environment, SVC_HUB_SECRET: "another one" });

    test("is that of every process: one with another secret exits with status 2, and prints neither", async () => {
      const refusal = await HubProcess.start(otherwise()).catch((error: unknown) => error);
      assert.instanceOf(refusal, HubDidNotStart);
      assert.equal(refusal.status, 2);
      assert.include(refusal.stderr.at(-1), "SVC_HUB_SECRET");
      assert.notInclude(refusal.stderr.join("\n"), "another one");
    });

    test("is the operator's, too: with another secret no publisher is created", async () => {
      const refusal = withPublishers(otherwise(), (publishers) => publishers.list());
      await expect(refusal).rejects.toThrow(ConfigError);
      await expect(refusal).rejects.toThrow("SVC_HUB_SECRET");
      assert.deepEqual(await withPublishers(hub.environment, (publishers) => publishers.list()), []);
    });
  });

describe.skipIf(CLUSTERED_HUB.missing)("The operator of a hub on PostgreSQL", () => {
  let directory: string;
  let storage: string;
  let database: TestDatabase;
  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "hub-secret-"));
    storage = path.join(directory, "storage");
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await database.drop();
    rmSync(directory, { recursive: true });
  });
  const list = (added: Readonly<Record<string, string>>) =>
    withPublishers(
      { SVC_HUB_DATABASE_URL: database.url, SVC_HUB_STORAGE_PATH: storage, ...added },
      (publishers) => publishers.list(),
      { createsHub: true },
    );

  test("must provide its secret, and none is created", async () => {
    await expect(list({})).rejects.toThrow(/SVC_HUB_SECRET/);
    assert.isFalse(existsSync(storage));
  });

  test("cannot create a hub that does not exist", async () => {
    await expect(list({ SVC_HUB_SECRET: "secret" })).rejects.toThrow(/no hub/);
    const tables = await inDatabase(database.url, "select 1 from pg_tables where schemaname = 'public'");
    assert.deepEqual(tables, []);
    assert.isFalse(existsSync(storage));
  });
});
