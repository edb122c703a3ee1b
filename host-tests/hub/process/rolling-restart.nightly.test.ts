/** A rolling restart (docs/hub.md#rolling-restart): the processes end and start one after the other, under load. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLUSTERED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { eventually } from "../push/channel.js";
import { SUCCEEDS } from "../rollouts/fleet.js";
import { Fleet } from "../rollouts/rolling.js";

const CONSOLES = 6;

describe.skipIf(CLUSTERED_HUB.missing)("A rolling restart of three processes", () => {
  let hub: HubUnderTest;
  let fleet: Fleet;
  beforeAll(async () => {
    hub = await CLUSTERED_HUB.start();
    fleet = await Fleet.connect(hub, CONSOLES, SUCCEEDS);
  });
  afterAll(async () => {
    await fleet.close();
    await hub.stop();
  });

  test("loses no command, and fails no request at the others", async () => {
    const given: { readonly deviceId: string; readonly commandId: string }[] = [];
    let isOver = false;
    let origins = hub.origins;
    const order = async () => {
      while (!isOver)
        for (const { device } of fleet.consoles) {
          const { deviceId } = device;
          const path = `/devices/${deviceId}/apps/app-${given.length}`;
          const origin = `${origins[given.length % origins.length]}`;
          const { status, body } = await request(origin, "DELETE", path, { token: fleet.account });
          expect([status, body.error]).toEqual([202, undefined]);
          given.push({ deviceId, commandId: body.command_id });
        }
    };
    const restart = async () => {
      for (const process of hub.processes) {
        const before = given.length;
        origins = hub.origins.filter((origin) => origin !== process.origin);
        await eventually(
          async () => given.length,
          (count) => count > before + 1, // no request is under way at the process that is about to end
        );
        expect(await process.stop()).toBe(0);
        await process.restart();
        origins = hub.origins;
      }
      isOver = true;
    };
    await Promise.all([order(), restart()]);
    for (const { deviceId, commandId } of given) {
      const path = `/devices/${deviceId}/commands/${commandId}`;
      const look = () => request(hub.origin, "GET", path, { token: fleet.account });
      const { body } = await eventually(
        look,
        (answer) => answer.body.state !== "queued" && answer.body.state !== "sent",
      );
      expect(body.state ?? body.error).toMatch(/^done$|^command_not_found$/); // the newest hundred are kept
    }
    expect(given.length).toBeGreaterThan(CONSOLES);
    expect(hub.errors).toEqual([]);
  });
});
