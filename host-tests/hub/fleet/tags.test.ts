/** Tags and groups (docs/spec/hub-api.md#tags): what they may be, and how many. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heldDevice, madeAccount, type TestAccount } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Tags and groups on ${name}`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    let path: string;
    beforeAll(async () => {
      hub = await start();
      account = await madeAccount(hub);
      path = `/devices/${(await heldDevice(hub, account)).deviceId}/tags`;
    });
    afterAll(() => hub?.stop());

    const ask = (method: string, at: string, json?: unknown) =>
      request(hub.origin, method, at, { token: account.token, ...(json !== undefined && { json }) });

    test("tags are stored without duplicates, sorted, and replaced as a whole", async () => {
      expect((await ask("PUT", path, { tags: ["b", "a", "b"] })).body).toEqual({ tags: ["a", "b"] });
      expect((await ask("PUT", path, { tags: ["c"] })).body).toEqual({ tags: ["c"] });
      expect((await ask("GET", "/account/devices")).body.devices[0].tags).toEqual(["c"]);
      expect((await ask("PUT", path, { tags: [] })).body).toEqual({ tags: [] });
    });

    const sixteen = Array.from({ length: 16 }, (_, index) => `tag-${index}`);
    const TAGS = [
      { tags: ["a".repeat(32)], status: 200 },
      { tags: sixteen, status: 200 },
      { tags: [...sixteen, "more"], status: 400 },
      { tags: ["a".repeat(33)], status: 400 },
      { tags: [""], status: 400 },
      { tags: ["Shop"], status: 400 },
      { tags: ["-a"], status: 400 },
      { tags: ["a b"], status: 400 },
      { tags: ["<b>"], status: 400 },
      { tags: ["ä"], status: 400 },
      { tags: ["a\n"], status: 400 },
      { tags: [1], status: 400 },
      { tags: "shop", status: 400 },
      { tags: null, status: 400 },
    ];
    for (const { tags, status } of TAGS)
      test(`the tags ${JSON.stringify(tags).slice(0, 40)} are answered ${status}`, async () => {
        expect((await ask("PUT", path, { tags })).status).toBe(status);
      });

    test("many changes of a console's tags at once keep it within the limit", async () => {
      await ask("PUT", path, { tags: [] });
      const orders = sixteen.map((tag) =>
        ask("POST", "/account/devices/orders", { kind: "tags", add: [tag, `${tag}x`], devices: {} }),
      );
      const answers = await Promise.all(orders);
      expect(answers.map(({ status }) => status)).toEqual(sixteen.map(() => 200));
      expect(answers.filter(({ body }) => body.ordered === 1)).toHaveLength(8);
      expect((await ask("GET", "/account/devices")).body.devices[0].tags).toHaveLength(16);
    });

    const GROUPS = [
      { name: "Shop", filter: { tag: "shop" }, status: 201 },
      { name: "x".repeat(64), filter: { q: "a" }, status: 201 },
      { name: "x".repeat(65), filter: { tag: "shop" }, status: 400 },
      { name: "", filter: { tag: "shop" }, status: 400 },
      { name: "a\nb", filter: { tag: "shop" }, status: 400 },
      { name: "a\u202eb", filter: { tag: "shop" }, status: 400 },
      { name: "All", filter: {}, status: 400 },
      { name: "Misspelt", filter: { tags: "shop" }, status: 400 },
      { name: "Nested", filter: { group_id: "x" }, status: 400 },
      { name: "Version", filter: { app_version: "1.0.0" }, status: 400 },
      { name: "Type", filter: { attention: "true" }, status: 400 },
      { name: "Text", filter: "tag=shop", status: 400 },
    ];
    for (const { name: title, filter, status } of GROUPS)
      test(`a group ${JSON.stringify(title).slice(0, 20)} of ${JSON.stringify(filter)} is answered ${status}`, async () => {
        expect((await ask("POST", "/account/groups", { name: title, filter })).status).toBe(status);
      });

    test("an account has at most a hundred groups, also when they are added at once", async () => {
      const own = await madeAccount(hub);
      const add = () =>
        request(hub.origin, "POST", "/account/groups", { ...own, json: { name: "g", filter: { tag: "a" } } });
      const answers = [];
      for (let round = 0; round < 8; round++)
        answers.push(...(await Promise.all(Array.from({ length: 13 }, add))));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused.map(({ body }) => body.error)).toEqual(Array(4).fill("too_many_groups"));
    });
  });
