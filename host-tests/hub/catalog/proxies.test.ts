/** A catalogue behind a proxy that serves several names (SVC_HUB_TRUST_PROXY). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { bitmap } from "../../hosts/bitmap.js";
import { EMBEDDED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { appPackage, HubPublisher } from "./hub-publisher.js";

let hub: HubUnderTest;
let publisher: HubPublisher;
beforeAll(async () => {
  hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_TRUST_PROXY: "1" } });
  publisher = await HubPublisher.register(hub, "Pixel Works");
  const file = await appPackage({ name: "tetris" }, { icon: bitmap({ shade: 0x5a }) });
  expect((await publisher.publish(file)).status).toBe(201);
});
afterAll(() => hub?.stop());

test("has the addresses of the name and the scheme that each client has asked for", async () => {
  for (let round = 0; round < 2; round++)
    for (const origin of ["https://apps.example", "http://apps.example", "https://other.example:8443"]) {
      const { protocol, host } = new URL(origin);
      const { status, body } = await request(hub.origin, "GET", "/catalog", {
        token: publisher.token,
        headers: { "x-forwarded-host": host, "x-forwarded-proto": protocol.slice(0, -1) },
      });
      expect([status, body.apps[0].icon_url]).toEqual([200, `${origin}/api/v1/catalog/tetris/icon`]);
    }
});
