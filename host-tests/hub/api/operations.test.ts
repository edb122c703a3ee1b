/** Health, metrics and the description (docs/spec/hub-api.md#operations). */
import { rename } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ENDPOINTS } from "../../../hub/api/endpoints.js";
import { openApi } from "../../../hub/api/openapi.js";
import { appPackage, HubPublisher } from "../catalog/hub-publisher.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { World } from "./world.js";

/** As in the table, and where load balancers and Prometheus look. */
const PLACES = ["", "/"];

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Operations on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub?.stop());

    for (const place of PLACES) {
      const where = place === "" ? "below /api/v1" : "at the root";

      test(`the hub is live, ${where}`, async () => {
        const { status, body } = await request(hub.origin, "GET", `${place}/health/live`);
        expect([status, body]).toEqual([200, { status: "live" }]);
      });

      test(`every process is ready, ${where}`, async () => {
        for (const origin of hub.origins) {
          const { status, body } = await request(origin, "GET", `${place}/health/ready`);
          expect([status, body]).toEqual([200, { status: "ready", database: "up", store: "up", bus: "up" }]);
        }
      });

      test(`the hub returns its API description, ${where}`, async () => {
        const { status, body } = await request(hub.origin, "GET", `${place}/openapi.json`);
        expect(status).toBe(200);
        expect(body).toEqual(JSON.parse(JSON.stringify(openApi(ENDPOINTS))));
      });

      test(`the hub returns metrics, ${where}`, async () => {
        const { status, headers, bytes } = await request(hub.origin, "GET", `${place}/metrics`);
        expect(status).toBe(200);
        expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
        expect(valueIn(textOf(bytes), "svc_hub_database_up")).toBe(1);
      });
    }

    test("requests are counted by route and status, without their paths", async () => {
      const [origin = ""] = hub.origins;
      const count = async () => {
        const text = textOf((await request(origin, "GET", "//metrics")).bytes);
        expect(text).not.toContain("/nothing-here");
        const labels = 'method="GET",route="/api/v1/devices/:device_id",status="401"';
        return valueIn(text, `svc_hub_http_request_duration_seconds_count{${labels}}`) ?? 0;
      };
      const before = await count();
      await request(origin, "GET", "/devices/me");
      await request(origin, "GET", "/nothing-here");
      expect(await count()).toBe(before + 1);
    });

    test("every process counts the content of the hub alike", async () => {
      const world = await World.make(hub);
      await world.app();
      await world.command();
      await world.rollout();
      for (const origin of hub.origins) {
        const read = async () => textOf((await request(origin, "GET", "//metrics")).bytes);
        const running = 'svc_hub_rollouts{state="running"}';
        await expect.poll(async () => valueIn(await read(), running)).toBe(1); // an earlier count may be kept
        const text = await read();
        expect(valueIn(text, "svc_hub_published_apps")).toBe(2);
        expect(valueIn(text, "svc_hub_registered_devices")).toBe(3);
        expect(valueIn(text, "svc_hub_pending_commands")).toBeGreaterThanOrEqual(1);
        expect(valueIn(text, 'svc_hub_rollouts{state="paused"}')).toBe(0);
        expect(valueIn(text, "process_resident_memory_bytes")).toBeGreaterThan(0);
      }
    });
  });

test("A hub that cannot write its files is not ready and publishes nothing (503), and does again once it can", async () => {
  const hub = await EMBEDDED_HUB.start();
  onTestFinished(() => hub.stop());
  const publisher = await HubPublisher.register(hub);
  const publish = async () => (await publisher.publish(await appPackage())).status;
  const files = path.join(hub.storagePath, "files");
  await rename(files, `${files}.away`);
  const away = await request(hub.origin, "GET", "//health/ready");
  expect(away.status).toBe(503);
  expect(away.body).toMatchObject({ error: "busy", status: "unready", database: "up", store: "down" });
  expect(await publish()).toBe(503);
  await rename(`${files}.away`, files);
  expect((await request(hub.origin, "GET", "//health/ready")).status).toBe(200);
  expect(await publish()).toBe(201);
});

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function valueIn(text: string, name: string): number | undefined {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}
