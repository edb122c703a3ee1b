/** Processes on machines whose clocks differ (docs/spec/hub-push.md#presence). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registeredDevice } from "../api/people.js";
import { HubProcess } from "../hosts/hub-process.js";
import { CLUSTERED_HUB, type HubUnderTest } from "../hosts/hub-under-test.js";
import { Channel, recordOf } from "../push/channel.js";

/** A machine whose clock is that many milliseconds ahead. */
const clockAhead = (ms: number) => ({
  NODE_OPTIONS: `--import data:text/javascript,const{now}=Date;Date.now=()=>now()+${ms}`,
});

describe.skipIf(CLUSTERED_HUB.missing)(`Consoles on ${CLUSTERED_HUB.name}`, () => {
  let hub: HubUnderTest;
  beforeAll(async () => {
    hub = await CLUSTERED_HUB.start();
  });
  afterAll(() => hub?.stop());

  for (const ms of [-20_000, 20_000])
    test(`are online through a process whose clock is ${ms} ms ahead, and for it`, async () => {
      const other = await HubProcess.start({ ...hub.environment, ...clockAhead(ms) });
      try {
        const here = await registeredDevice(hub);
        const there = await registeredDevice(hub);
        const channels = [
          await Channel.open(hub.origin, here.token),
          await Channel.open(other.origin, there.token),
        ];
        for (const device of [here, there]) {
          expect((await recordOf(hub.origin, device)).online).toBe(true);
          expect((await recordOf(other.origin, device)).online).toBe(true);
        }
        await Promise.all(channels.map((channel) => channel.close()));
      } finally {
        await other.stop();
      }
    });
});
