/** Long lists, read on from their last entry (docs/spec/hub-api.md#paging-next). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appPackage, HubPublisher } from "../catalog/hub-publisher.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { heldDevice, madeAccount, type TestAccount } from "./people.js";

const ENTRIES = 5;

interface LongList {
  readonly path: string;
  /** Name of the list, and of the id of its entries. */
  readonly member: string;
  readonly id: string;
  readonly token: string;
  /** Changes what is before the second page. @param first the ids of the first page */
  readonly change: (first: readonly string[]) => Promise<unknown>;
}

type Make = (hub: HubUnderTest, account: TestAccount) => Promise<LongList>;

const consoles: Make = async (hub, { token, accountId }) => {
  for (let count = 0; count < ENTRIES; count++) await heldDevice(hub, { token, accountId });
  const change = (first: readonly string[]) =>
    request(hub.origin, "DELETE", `/account/devices/${first[0]}`, { token });
  return { path: "/account/devices", member: "devices", id: "device_id", token, change };
};

const commands: Make = async (hub, account) => {
  const { deviceId } = await heldDevice(hub, account);
  const { token } = account;
  const order = (app: string) => request(hub.origin, "DELETE", `/devices/${deviceId}/apps/${app}`, { token });
  for (let count = 0; count < ENTRIES; count++) await order(`app-${count}`);
  const path = `/devices/${deviceId}/commands`;
  return { path, member: "commands", id: "command_id", token, change: () => order("later") };
};

const rollouts: Make = async (hub, account) => {
  const { token } = account;
  await heldDevice(hub, account);
  const rollOut = () =>
    request(hub.origin, "POST", "/rollouts", { token, json: { kind: "app", app_id: "paged" } });
  await Promise.all(Array.from({ length: ENTRIES }, rollOut)); // some of them in the same millisecond
  return { path: "/rollouts", member: "rollouts", id: "rollout_id", token, change: rollOut };
};

const rolloutConsoles: Make = async (hub, account) => {
  const { token } = account;
  for (let count = 0; count < ENTRIES; count++) await heldDevice(hub, account);
  const json = { kind: "app", app_id: "paged" };
  const { body } = await request(hub.origin, "POST", "/rollouts", { token, json });
  const path = `/rollouts/${body.rollout_id}/devices`;
  const change = (first: readonly string[]) =>
    request(hub.origin, "DELETE", `/account/devices/${first[0]}`, { token });
  return { path, member: "devices", id: "device_id", token, change };
};

const LISTS = { consoles, commands, rollouts, "consoles of a rollout": rolloutConsoles };

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A list on ${name}`, () => {
    let hub: HubUnderTest;
    beforeAll(async () => {
      hub = await start();
      const publisher = await HubPublisher.register(hub);
      expect((await publisher.publish(await appPackage({ name: "paged" }))).status).toBe(201);
    });
    afterAll(() => hub.stop());

    for (const [what, make] of Object.entries(LISTS)) {
      test(`of ${what} has each entry once by "after", whatever changes before it`, async () => {
        const { path, member, id, token, change } = await make(hub, await madeAccount(hub));
        const page = async (query: string) =>
          (await request(hub.origin, "GET", path + query, { token })).body;
        const idsOf = (body: Record<string, Record<string, string>[]>) =>
          (body[member] ?? []).map((entry) => entry[id] as string);
        const all = await page("");
        expect([all.total, all.next]).toEqual([ENTRIES, undefined]);
        const first = await page("?per_page=2");
        await change(idsOf(first));
        const second = await page(`?per_page=2&after=${first.next}`);
        const third = await page(`?per_page=2&page=7&after=${second.next}`);
        expect([first, second, third].flatMap(idsOf)).toEqual(idsOf(all));
        expect(third).not.toHaveProperty("next");
        expect(second.next).toEqual((await page(`?per_page=2&after=${first.next}`)).next);
      });

      test(`of ${what} cannot continue behind an entry of nowhere`, async () => {
        const { path, token } = await make(hub, await madeAccount(hub));
        const keys = ["[]", "[null]", "[1.5]", "[1,2,3]", "{", '{"length":1}', "[[1]]"];
        for (const after of ["", "x", ...keys.map((key) => Buffer.from(key).toString("base64url"))]) {
          const { status, body } = await request(hub.origin, "GET", `${path}?after=${after}`, { token });
          expect([after, status, body.error]).toEqual([after, 400, "bad_parameter"]);
        }
      });
    }
  });
