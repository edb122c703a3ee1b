/** The table of consoles (docs/spec/hub-api.md#filters): search, filters, sorts, and pages of each. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { heldDevice, madeAccount, type TestAccount } from "../api/people.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { Channel, eventually } from "../push/channel.js";
import { withDatabase } from "../push/database-of.js";
import { insertDevices } from "./inserted-fleet.js";

const DAY_MS = 24 * 3_600_000;
const NOW = Date.now();

const CONSOLES = [
  { name: "Zoo entrance", mac: "02:AA:00:00:00:01", firmware_version: "1.9.0", arch: "native" },
  { name: "aquarium 100%", mac: "02:AA:00:00:00:02", firmware_version: "1.10.0", arch: "arm" },
  { name: "Aquarium_left", mac: "02:AA:00:00:00:03", firmware_version: "1.10.0", arch: "native" },
  { name: "<b>Café</b>", mac: "02:AA:00:00:BE:EF", firmware_version: "0.2.10", arch: "native" },
].map((facts, index) => ({
  ...facts,
  last_seen_at: NOW - index * 1000,
  apps: index < 3 ? [{ name: "tetris", version: index === 0 ? "1.0.0" : "2.0.0" }] : [],
}));

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`The table of consoles on ${name}`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    let ids: readonly string[];
    beforeAll(async () => {
      hub = await start();
      account = await madeAccount(hub);
      const other = await madeAccount(hub);
      ids = await withDatabase(hub, async (database) => {
        await insertDevices(
          database,
          other.accountId,
          CONSOLES.map(({ mac, ...facts }) => facts),
        );
        return insertDevices(database, account.accountId, CONSOLES);
      });
      await tag(0, ["shop", "north"]);
      await tag(1, ["shop"]);
    });
    afterAll(() => hub?.stop());

    const ask = (method: string, path: string, json?: unknown) =>
      request(hub.origin, method, path, { token: account.token, ...(json !== undefined && { json }) });
    const tag = (index: number, tags: readonly string[]) =>
      ask("PUT", `/devices/${ids[index]}/tags`, { tags });
    const query = (members: Readonly<Record<string, string>>) =>
      ask("GET", `/account/devices?${new URLSearchParams(members)}`);
    const found = async (members: Readonly<Record<string, string>>) => {
      const { status, body } = await query(members);
      expect([status, body.message]).toEqual([200, undefined]);
      const chosen: number[] = body.devices.map(({ device_id }: { device_id: string }) =>
        ids.indexOf(device_id),
      );
      expect(body.total).toBe(chosen.length);
      return chosen;
    };

    const FILTERS: readonly { readonly filter: Record<string, string>; readonly found: readonly number[] }[] =
      [
        { filter: {}, found: [0, 1, 2, 3] },
        { filter: { q: "aquarium" }, found: [1, 2] },
        { filter: { q: "ENTRANCE" }, found: [0] },
        { filter: { q: "%" }, found: [1] },
        { filter: { q: "_" }, found: [2] },
        { filter: { q: "aquarium%" }, found: [] },
        { filter: { q: "\\" }, found: [] },
        { filter: { q: "' or 1=1 --" }, found: [] },
        { filter: { q: "be:ef" }, found: [3] },
        { filter: { q: "00BEEF" }, found: [3] },
        { filter: { q: "00-00-00-01" }, found: [0] },
        { filter: { q: "Café" }, found: [3] },
        { filter: { status: "online" }, found: [] },
        { filter: { status: "offline" }, found: [0, 1, 2, 3] },
        { filter: { firmware_version: "1.10.0" }, found: [1, 2] },
        { filter: { firmware_version: "1.1.0" }, found: [] },
        { filter: { arch: "arm" }, found: [1] },
        { filter: { app_id: "tetris" }, found: [0, 1, 2] },
        { filter: { app_id: "tetris", app_version: "2.0.0" }, found: [1, 2] },
        { filter: { app_id: "tet%" }, found: [] },
        { filter: { tag: "shop" }, found: [0, 1] },
        { filter: { tag: "shop", app_id: "tetris", q: "zoo", firmware_version: "1.9.0" }, found: [0] },
        { filter: { attention: "true" }, found: [] },
        { filter: { attention: "false" }, found: [0, 1, 2, 3] },
      ];
    for (const { filter, found: expected } of FILTERS)
      test(`filtered by ${JSON.stringify(filter)} has ${expected.length} consoles`, async () => {
        expect((await found(filter)).sort()).toEqual(expected);
      });

    test("finds a console by the beginning of its id", async () => {
      for (const [index, id] of ids.entries()) {
        expect(await found({ q: id.slice(0, 13) })).toEqual([index]);
        expect(await found({ q: id.toUpperCase() })).toEqual([index]);
      }
    });

    const SORTS = [
      { sort: "name", order: [3, 1, 2, 0] },
      { sort: "-name", order: [0, 2, 1, 3] },
      { sort: "last_seen_at", order: [3, 2, 1, 0] },
      { sort: "-last_seen_at", order: [0, 1, 2, 3] },
      { sort: "firmware", order: [3, 0] },
      { sort: "-firmware", order: undefined },
    ];
    for (const { sort, order } of SORTS)
      test(`sorted by ${sort} has each console once, in order, over pages`, async () => {
        const all = await found({ sort });
        if (order) expect(all.slice(0, order.length)).toEqual(order);
        expect([...all].sort()).toEqual([0, 1, 2, 3]);
        const paged: string[] = [];
        let after: string | undefined;
        do {
          const { body } = await query({ sort, per_page: "1", ...(after !== undefined && { after }) });
          expect(body.total).toBe(4);
          paged.push(...body.devices.map(({ device_id }: { device_id: string }) => device_id));
          after = body.next;
        } while (after !== undefined);
        expect(paged.map((id) => ids.indexOf(id))).toEqual(all);
      });

    test("does not continue a page of another sort or list", async () => {
      const nexts = [];
      for (const sort of ["id", "name", "-name", "last_seen_at", "firmware", "-firmware"])
        nexts.push({ sort, next: (await query({ sort, per_page: "1" })).body.next });
      for (const { sort } of nexts)
        for (const { sort: other, next } of nexts) {
          const { status, body } = await query({ sort, after: next });
          expect([sort, other, status]).toEqual([sort, other, sort === other ? 200 : 400]);
          if (sort !== other) expect(body.error).toBe("bad_parameter");
        }
    });

    const INVALID: readonly Record<string, string>[] = [
      { q: "" },
      { q: "a\0b" },
      { app_id: "te\0" },
      { q: "x".repeat(65) },
      { status: "away" },
      { firmware_version: "1" },
      { firmware_version: "9999999999.0.0" },
      { arch: "z80" },
      { app_id: "" },
      { app_version: "1.0.0" },
      { app_id: "tetris", app_version: "%" },
      { tag: "Shop" },
      { tag: "" },
      { tag: "x".repeat(33) },
      { attention: "1" },
      { sort: "mac" },
      { per_page: "101" },
    ];
    for (const members of INVALID)
      test(`is refused for ${JSON.stringify(members)}`, async () => {
        const { status, body } = await query(members);
        expect([status, body.error]).toEqual([400, "bad_parameter"]);
      });

    test("shows the consoles of a group, within further conditions", async () => {
      const { body } = await ask("POST", "/account/groups", { name: "Shop", filter: { tag: "shop" } });
      expect(body).toMatchObject({ name: "Shop", filter: { tag: "shop" } });
      expect(await found({ group_id: body.group_id, sort: "-last_seen_at" })).toEqual([0, 1]);
      expect(await found({ group_id: body.group_id, q: "aqua" })).toEqual([1]);
      expect((await ask("GET", "/account/groups")).body.groups).toEqual([body]);
      expect((await ask("DELETE", `/account/groups/${body.group_id}`)).status).toBe(204);
      expect((await query({ group_id: body.group_id })).body.error).toBe("group_not_found");
    });

    test("tells online consoles from others, and those that were not seen for a day", async () => {
      const own = await madeAccount(hub);
      const device = await heldDevice(hub, own);
      const list = async (members: string) =>
        (await request(hub.origin, "GET", `/account/devices?${members}`, own)).body.total;
      const attention = async () => (await request(hub.origin, "GET", "/account/attention", own)).body;
      expect([await list("status=online"), await list("attention=true")]).toEqual([0, 0]);
      await withDatabase(hub, (database) =>
        database
          .updateTable("devices")
          .set({ last_seen_at: Date.now() - DAY_MS - 60_000 })
          .where("id", "=", device.deviceId)
          .execute(),
      );
      expect(await list("attention=true")).toBe(1);
      expect(await attention()).toEqual({
        devices_failed: 0,
        commands_failed: 0,
        devices_crashed: 0,
        devices_offline: 1,
        rollouts_stopped: 0,
      });
      const channel = await Channel.open(hub.origin, device.token);
      onTestFinished(() => channel.cut());
      expect([await list("status=online"), await list("status=offline")]).toEqual([1, 0]);
      expect(await list("attention=true")).toBe(0);
      channel.send({
        type: "device.apps",
        apps: [{ name: "chess", version: "1.0.0", size: 1, running: true }],
      });
      await eventually(
        () => list("app_id=chess&app_version=1.0.0"),
        (total) => total === 1,
      );
      channel.send({ type: "device.apps", apps: [] });
      await eventually(
        () => list("app_id=chess"),
        (total) => total === 0,
      );
    });

    test("forgets apps and tags with the account that released the console", async () => {
      const [first, second] = [await madeAccount(hub), await madeAccount(hub)];
      const device = await heldDevice(hub, first);
      const own = (method: string, path: string, json?: unknown) =>
        request(hub.origin, method, path, { ...first, ...(json !== undefined && { json }) });
      await own("PUT", `/devices/${device.deviceId}/tags`, { tags: ["mine"] });
      expect((await own("GET", "/account/devices?tag=mine")).body.devices[0].tags).toEqual(["mine"]);
      expect((await own("DELETE", `/account/devices/${device.deviceId}`)).status).toBe(204);
      await withDatabase(hub, (database) =>
        database
          .updateTable("devices")
          .set({ account_id: second.accountId })
          .where("id", "=", device.deviceId)
          .execute(),
      );
      const { body } = await request(hub.origin, "GET", "/account/devices", second);
      expect(body.devices[0].tags).toEqual([]);
      expect((await request(hub.origin, "GET", "/account/devices?tag=mine", second)).body.total).toBe(0);
      expect((await own("GET", "/account/devices?tag=mine")).body.total).toBe(0);
    });
  });
