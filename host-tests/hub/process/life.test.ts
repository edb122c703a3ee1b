/** A hub that starts, serves and ends, on every hub (docs/spec/hub-api.md#ready-line). */
import { request as httpRequest } from "node:http";
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { registeredDevice } from "../api/people.js";
import { HubProcess } from "../hosts/hub-process.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel } from "../push/channel.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A hub on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub.stop());

    test("answers at each of its processes", async () => {
      for (const origin of hub.origins)
        assert.equal((await request(origin, "GET", "//health/live")).status, 200);
    });

    test("reports in one line of JSON that it is ready, and writes nothing else to standard output", () => {
      for (const { stdout, origin, pid } of hub.processes)
        assert.deepEqual(
          stdout.map((line) => JSON.parse(line)),
          [{ ready: true, url: origin, pid }],
        );
    });

    test("logs lines of JSON on standard error", () => {
      for (const { stderr } of hub.processes)
        for (const line of stderr) assert.hasAnyKeys(JSON.parse(line), ["msg", "level"]);
    });

    // docs/spec/hub-api.md#drain
    test("serves after SIGTERM while it is not ready, and ends at once at the second", async () => {
      const process = await HubProcess.start({ ...hub.environment, SVC_HUB_DRAIN_S: "3600" });
      const look = async (path: string) => {
        const response = await fetch(process.origin + path);
        return [response.status, Object(await response.json()).status];
      };
      assert.deepEqual((await look("/health/ready"))[0], 200);
      const ended = process.stop();
      await process.waitForLine(/"ending"/);
      await expect.poll(() => look("/health/ready")).toEqual([503, "ending"]);
      assert.deepEqual(await look("/health/live"), [200, "live"]);
      const device = await registeredDevice({ origin: process.origin });
      await (await Channel.open(process.origin, device.token)).close();
      void process.stop();
      assert.equal(await ended, "SIGTERM");
    });

    test("has the same data after a restart", async () => {
      const { body } = await request(hub.origin, "POST", "/accounts");
      for (const process of hub.processes) {
        assert.equal(await process.stop(), 0);
        await process.restart();
        const { status } = await request(process.origin, "GET", "/account/devices", {
          token: body.account_token,
        });
        assert.equal(status, 200);
      }
    });

    test("has the same data after kill -9 of all its processes", async () => {
      const { body } = await request(hub.origin, "POST", "/accounts");
      await Promise.all(hub.processes.map((process) => process.kill()));
      await Promise.all(hub.processes.map((process) => process.restart()));
      const { status } = await request(hub.origin, "GET", "/account/devices", { token: body.account_token });
      assert.equal(status, 200);
    });

    test("finishes running requests before it ends, and accepts no new ones", async () => {
      const [process] = hub.processes;
      assert.isDefined(process);
      const { body } = await request(process.origin, "POST", "/accounts");
      const { sending, answered } = await begin(process.origin, body.account_token);
      const ended = process.stop();
      await process.waitForLine(/"ending"/);
      while (await isTaken(process.origin)) await new Promise(setImmediate);
      sending.end('_code":"AAAA-AAAA"}');
      assert.equal(await answered, 404);
      assert.equal(await ended, 0);
      await process.restart();
    });
  });

/** A request that the hub has taken and that is not complete: the hub has asked for its body. */
async function begin(origin: string, token: string) {
  const sending = httpRequest(`${origin}/api/v1/account/devices`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "transfer-encoding": "chunked",
      expect: "100-continue",
    },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sending.once("response", (response) => resolve(response.resume().statusCode));
    sending.once("error", reject);
  });
  sending.flushHeaders();
  await new Promise((resolve) => sending.once("continue", resolve));
  sending.write('{"claim');
  return { sending, answered };
}

async function isTaken(origin: string): Promise<boolean> {
  try {
    await request(origin, "GET", "//health/live", { headers: { connection: "close" } });
    return true;
  } catch {
    return false;
  }
}
