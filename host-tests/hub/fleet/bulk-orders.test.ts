/** One order for many consoles (docs/spec/hub-api.md#bulk-orders). */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { heldDevice, madeAccount, type TestAccount, type TestDevice } from "../api/people.js";
import { addMember } from "../api/world.js";
import { TestPublisher } from "../devices/published.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { type Answer, request } from "../hosts/request.js";
import { Channel } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { insertDevices } from "./inserted-fleet.js";

const PATH = "/account/devices/orders";

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`An order for many consoles on ${name}`, () => {
    let hub: HubUnderTest;
    let publisher: TestPublisher;
    let app: string;
    beforeAll(async () => {
      hub = await start();
      publisher = await TestPublisher.on(hub);
      app = await publisher.publishApp();
      await publisher.publishFirmware("3.0.0");
    });
    afterAll(() => hub?.stop());

    const order = (account: TestAccount, json: unknown): Promise<Answer> =>
      request(hub.origin, "POST", PATH, { token: account.token, json });
    const twoConsoles = async () => {
      const account = await madeAccount(hub);
      const devices: readonly TestDevice[] = [await heldDevice(hub, account), await heldDevice(hub, account)];
      return { account, devices, ids: devices.map(({ deviceId }) => deviceId) };
    };

    test("reaches each console, and its answer names each command", async () => {
      const { account, devices, ids } = await twoConsoles();
      const channel = await Channel.open(hub.origin, devices[0]?.token ?? "");
      onTestFinished(() => channel.cut());
      const { status, body } = await order(account, { kind: "install", app_id: app, devices: { ids } });
      expect([status, body.ordered, body.refused]).toEqual([202, 2, 0]);
      const states = Object.fromEntries(
        body.results.map(({ device_id, state }: { device_id: string; state: string }) => [device_id, state]),
      );
      expect(states).toEqual({ [ids[0] ?? ""]: "sent", [ids[1] ?? ""]: "queued" });
      const told = await channel.next("app.install");
      const own = body.results.find(({ device_id }: { device_id: string }) => device_id === ids[0]);
      expect(told).toMatchObject({ app_id: app, command_id: own.command_id });
    });

    test("of firmware answers consoles of another architecture with the reason", async () => {
      const { account, ids } = await twoConsoles();
      const [other] = await withDatabase(hub, (database) =>
        insertDevices(database, account.accountId, [{ arch: "arm" }]),
      );
      const { body } = await order(account, { kind: "firmware", version: "3.0.0", devices: {} });
      expect([body.ordered, body.refused]).toEqual([2, 1]);
      const refused = body.results.filter(({ error }: { error?: string }) => error !== undefined);
      expect(refused).toEqual([{ device_id: other, error: "firmware_not_found" }]);
      const given = body.results.filter(({ error }: { error?: string }) => error === undefined);
      expect(given.map(({ device_id }: { device_id: string }) => device_id).sort()).toEqual([...ids].sort());
    });

    test("skips a console with 256 pending commands, and names it", async () => {
      const { account, devices, ids } = await twoConsoles();
      const { token = "" } = devices[0] ?? {};
      for (let at = 0; at < 256; at += 32)
        await Promise.all(
          Array.from({ length: 32 }, (_, index) =>
            request(hub.origin, "DELETE", `/devices/me/apps/x${at + index}`, { token }),
          ),
        );
      const { body } = await order(account, { kind: "uninstall", app_id: app, devices: { ids } });
      expect([body.ordered, body.refused]).toEqual([1, 1]);
      expect(body.results).toContainEqual({ device_id: ids[0], error: "too_many_commands" });
    });

    test("changes tags of the consoles of a group", async () => {
      const { account, ids } = await twoConsoles();
      const token = { token: account.token };
      const change = (json: object) => order(account, { kind: "tags", ...json });
      expect((await change({ add: ["shop", "old"], devices: { ids } })).body.ordered).toBe(2);
      const json = { name: "Shop", filter: { tag: "shop" } };
      const { body: group } = await request(hub.origin, "POST", "/account/groups", { ...token, json });
      const { status, body } = await change({
        add: ["new"],
        remove: ["old"],
        devices: { group_id: group.group_id },
      });
      expect([status, body.ordered]).toEqual([200, 2]);
      const { body: list } = await request(hub.origin, "GET", "/account/devices", token);
      expect(list.devices.map(({ tags }: { tags: string[] }) => tags)).toEqual(
        Array(2).fill(["new", "shop"]),
      );
    });

    test("for more than a thousand consoles is refused, and orders nothing", async () => {
      const account = await madeAccount(hub);
      await withDatabase(hub, (database) =>
        insertDevices(
          database,
          account.accountId,
          Array.from({ length: 1001 }, () => ({})),
        ),
      );
      const { status, body } = await order(account, { kind: "uninstall", app_id: app, devices: {} });
      expect([status, body.error]).toEqual([409, "too_many_devices"]);
      expect(body.message).toContain("rollout");
      const one = await request(hub.origin, "GET", "/account/devices?per_page=1", account);
      const { device_id } = one.body.devices[0];
      const commands = await request(hub.origin, "GET", `/devices/${device_id}/commands`, account);
      expect(commands.body.total).toBe(0);
    });

    test("for a thousand consoles is taken at once", async () => {
      const account = await madeAccount(hub);
      const ids = await withDatabase(hub, (database) =>
        insertDevices(
          database,
          account.accountId,
          Array.from({ length: 1000 }, () => ({})),
        ),
      );
      const { status, body } = await order(account, { kind: "install", app_id: app, devices: { ids } });
      expect([status, body.ordered, body.results.length]).toEqual([202, 1000, 1000]);
    });

    const INVALID = [
      { json: { kind: "install", devices: {} }, error: "missing_parameter" },
      { json: { kind: "install", app_id: "no-such-app", devices: {} }, error: "app_not_found" },
      { json: { kind: "install", app_id: "../x", devices: {} }, error: "bad_parameter" },
      { json: { kind: "uninstall", app_id: "x", version: "1.0.0", devices: {} }, error: "bad_parameter" },
      { json: { kind: "firmware", app_id: "x", devices: {} }, error: "bad_parameter" },
      { json: { kind: "tags", devices: {} }, error: "bad_parameter" },
      { json: { kind: "tags", add: ["a"], remove: ["a"], devices: {} }, error: "bad_parameter" },
      { json: { kind: "tags", add: ["A"], devices: {} }, error: "bad_parameter" },
      { json: { kind: "reboot", devices: {} }, error: "bad_parameter" },
      { json: { kind: "uninstall", app_id: "x" }, error: "missing_parameter" },
      { json: { kind: "uninstall", app_id: "x", devices: [] }, error: "bad_parameter" },
      { json: { kind: "uninstall", app_id: "x", devices: { tags: ["a"] } }, error: "bad_parameter" },
      { json: { kind: "uninstall", app_id: "x", devices: { ids: [], tag: "a" } }, error: "bad_parameter" },
      {
        json: { kind: "uninstall", app_id: "x", devices: { ids: [randomUUID()] } },
        error: "device_not_found",
      },
      { json: { kind: "uninstall", app_id: "x", devices: { group_id: "x" } }, error: "group_not_found" },
      {
        json: { kind: "uninstall", app_id: "x", devices: { ids: Array.from({ length: 1001 }, () => "x") } },
        error: "bad_parameter",
      },
    ];
    for (const { json, error } of INVALID)
      test(`${JSON.stringify(json).slice(0, 80)} is refused as ${error}`, async () => {
        expect((await order((await twoConsoles()).account, json)).body.error).toBe(error);
      });

    test("with a console of another account orders nothing", async () => {
      const [own, other] = [await twoConsoles(), await twoConsoles()];
      const ids = [...own.ids, ...other.ids.slice(0, 1)];
      for (const json of [
        { kind: "uninstall", app_id: app },
        { kind: "tags", add: ["mine"] },
      ])
        expect((await order(own.account, { ...json, devices: { ids } })).body.error).toBe("device_not_found");
      for (const { account, ids: held } of [own, other]) {
        const list = await request(hub.origin, "GET", `/devices/${held[0]}/commands`, account);
        expect(list.body.total).toBe(0);
        const { body } = await request(hub.origin, "GET", `/devices/${held[0]}`, account);
        expect(body.tags).toEqual([]);
      }
    });

    test("is refused for a viewer", async () => {
      const { account } = await twoConsoles();
      const { token } = await addMember(hub, account.token, "viewer");
      const answer = await order({ ...account, token }, { kind: "uninstall", app_id: app, devices: {} });
      expect([answer.status, answer.body.error]).toEqual([403, "forbidden"]);
    });

    test("a rollout goes to the consoles of a tag and of a group", async () => {
      const { account, ids } = await twoConsoles();
      const token = { token: account.token };
      await request(hub.origin, "PUT", `/devices/${ids[0]}/tags`, { ...token, json: { tags: ["shop"] } });
      const json = { name: "Shop", filter: { tag: "shop" } };
      const { body: group } = await request(hub.origin, "POST", "/account/groups", { ...token, json });
      for (const devices of [{ tag: "shop" }, { group_id: group.group_id }]) {
        const rollout = await request(hub.origin, "POST", "/rollouts", {
          ...token,
          json: { kind: "app", app_id: app, devices },
        });
        expect([rollout.status, rollout.body.total?.devices]).toEqual([201, 1]);
        const chosen = await request(
          hub.origin,
          "GET",
          `/rollouts/${rollout.body.rollout_id}/devices`,
          token,
        );
        expect(chosen.body.devices[0].device_id).toBe(ids[0]);
      }
      const foreign = await twoConsoles();
      const refused = await request(hub.origin, "POST", "/rollouts", {
        token: foreign.account.token,
        json: { kind: "app", app_id: app, devices: { group_id: group.group_id } },
      });
      expect(refused.body.error).toBe("group_not_found");
    });
  });
