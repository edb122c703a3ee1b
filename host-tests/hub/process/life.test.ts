import { afterAll, assert, beforeAll, describe, test } from "vitest";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A hub on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
    });
    afterAll(() => hub.stop());

    test("answers at each of its processes", async () => {
      for (const origin of hub.origins)
        assert.deepEqual((await request(origin, "GET", "//health/live")).status, 200);
    });

    test("says that it is ready in one line of JSON, and nothing else on standard output", () => {
      for (const { stdout, origin, pid } of hub.processes)
        assert.deepEqual(
          stdout.map((line) => JSON.parse(line)),
          [{ ready: true, url: origin, pid }],
        );
    });
  });
