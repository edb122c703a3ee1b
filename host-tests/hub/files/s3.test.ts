/** Hubs whose files are in a bucket (docs/hub.md#files-in-a-bucket). */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { restoreHub } from "../../../hub/backup/restore.js";
import { withOperator } from "../../../hub/operator.js";
import { World } from "../api/world.js";
import { HubProcess } from "../hosts/hub-process.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { startBucket, type TestBucket } from "../hosts/s3-server.js";

async function temporary(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), "hub-bucket-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Files in a bucket of ${name}`, () => {
    let bucket: TestBucket;
    let hub: HubUnderTest;
    let world: World;
    beforeAll(async () => {
      bucket = await startBucket();
      hub = await start({ environment: bucket.environment });
      world = await World.make(hub);
    });
    afterAll(async () => {
      await hub?.stop();
      expect(hub?.errors).toEqual([]);
      await bucket?.close();
    });

    test("are served whole and in parts, by every process", async () => {
      const app = await world.app();
      const { token } = world.account;
      for (const origin of hub.origins) {
        const get = (rest: string, headers = {}) =>
          request(origin, "GET", `/catalog/${app}/${rest}`, { token, headers });
        const whole = await get("download");
        expect(whole.status).toBe(200);
        const part = await get("download", { range: "bytes=10-99" });
        expect([part.status, part.bytes]).toEqual([206, whole.bytes.subarray(10, 100)]);
        const held = await get("download", { "if-none-match": whole.headers.get("etag") ?? "" });
        expect(held.status).toBe(304);
        expect((await get("icon")).headers.get("content-type")).toBe("image/bmp");
      }
      await expect(readdir(path.join(hub.storagePath, "files"))).rejects.toThrow("ENOENT");
    });

    test("are read by the hub itself: firmware, modules and lines", async () => {
      const version = await world.firmware();
      const { token } = world.account;
      const bundle = await world.ask(token, "GET", `/firmware/${version}/download?arch=native`);
      expect([bundle.status, bundle.bytes.length > 100]).toEqual([200, true]);
      const app = await world.appWithLines();
      const json = { message: `"${app}" ended: trap: unreachable in main@5` };
      const told = await world.ask(world.publisher.token, "POST", `/catalog/${app}/trap`, { json });
      expect(told.body.stack).toEqual([{ function: "main", file: "main.c", line: 1 }]);
    });

    test("are in a backup, which a hub with a directory takes, and another bucket", async () => {
      const app = await world.app();
      const { token } = world.account;
      const { bytes } = await world.ask(token, "GET", `/catalog/${app}/download`);
      const backup = path.join(await temporary(), "backup");
      await withOperator(hub.environment, ({ backUp }) => backUp(backup));
      const other = await startBucket();
      onTestFinished(() => other.close());
      for (const files of [{}, other.environment]) {
        const { SVC_HUB_DATABASE_URL, SVC_HUB_NATS_URL, ...rest } = hub.environment;
        const plain = Object.entries(rest).filter(([variable]) => !variable.startsWith("SVC_HUB_S3_"));
        const storage = { SVC_HUB_STORAGE_PATH: path.join(await temporary(), "storage") };
        const environment = { ...Object.fromEntries(plain), ...storage, ...files };
        await restoreHub(environment, backup);
        const restored = await HubProcess.start({ ...environment, SVC_HUB_PORT: "0" });
        try {
          const answer = await request(restored.origin, "GET", `/catalog/${app}/download`, { token });
          expect([answer.status, answer.bytes]).toEqual([200, bytes]);
        } finally {
          await restored.stop();
        }
      }
    });
  });

test("A hub whose bucket is away is not ready, and says busy", async () => {
  const bucket = await startBucket();
  const hub = await EMBEDDED_HUB.start({ environment: bucket.environment });
  onTestFinished(() => hub.stop());
  const world = await World.make(hub);
  const app = await world.app();
  await bucket.close();
  const ready = await request(hub.origin, "GET", "//health/ready");
  expect([ready.status, ready.body.store]).toEqual([503, "down"]);
  const answer = await world.ask(world.account.token, "GET", `/catalog/${app}/download`);
  expect([answer.status, answer.body.error, answer.headers.get("retry-after")]).toEqual([503, "busy", "5"]);
  const publishing = await world.ask(world.publisher.token, "POST", "/catalog/publish", {
    form: world.package(world.publisher),
  });
  expect([publishing.status, publishing.body.error]).toEqual([503, "busy"]);
});
