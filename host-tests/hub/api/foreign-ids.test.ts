/**
 * Ids of another account, tried in each place of each endpoint: the answer is that for an id that does not exist, and
 * nothing changes. Endpoints and places come from the table, so that a new one is tried too.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../hub/api/endpoint.js";
import { ENDPOINTS } from "../../../hub/api/endpoints.js";
import { SCOPES } from "../../../protocol/hub/answers/team.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { heldDevice, registeredDevice } from "./people.js";
import { addCrash, addGroup, addMember, addProgram, NEW_WEBHOOK, World } from "./world.js";

/** Parameters that name what belongs to an account. */
const OWNED = Object.freeze([
  ...([
    "device_id",
    "command_id",
    "rollout_id",
    "member_id",
    "token_id",
    "webhook_id",
    "group_id",
    "event_id",
  ] as const),
]);
type Owned = (typeof OWNED)[number];
type Ids = Readonly<Record<Owned, string>>;

/** Bodies without which a row rejects a request before it looks at its ids. */
const BODIES: Readonly<Record<string, object>> = {
  "PUT /account/members/:member_id": { name: "Eve" },
  "PUT /account/webhooks/:webhook_id": { events: ["device.claimed"] },
  "PUT /devices/:device_id/tags": { tags: ["eve"] },
};

const ofAccounts = ENDPOINTS.filter(({ access }) => access === "account" || access === "device");
const namesIn = ({ path }: Endpoint) => OWNED.filter((name) => path.includes(`:${name}`));
const rows = ofAccounts.filter((row) => namesIn(row).length > 0);

test("Each parameter of an account's endpoints is known here", () => {
  const names = ofAccounts.flatMap(({ path }) => path.match(/(?<=:)[a-z_]+/g) ?? []);
  expect(new Set(names)).toEqual(new Set([...OWNED, "app_id"])); // apps belong to no account
});

/** The names of which at least one is another account's, in every combination. */
function combinations(names: readonly Owned[]): (readonly Owned[])[] {
  let all: Owned[][] = [[]];
  for (const name of names) all = all.flatMap((combined) => [combined, [...combined, name]]);
  return all.filter(({ length }) => length > 0);
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`Another account's ids on ${name}`, () => {
    let hub: HubUnderTest;
    let world: World;
    let app: string;
    /** Of the account that asks, and of the one that it asks about. */
    let own: Ids;
    let foreign: Ids;
    let tokens: Readonly<Record<string, string>>;

    const idsOf = async (token: string, deviceId: string): Promise<Ids> => {
      const ordered = await world.ask(token, "DELETE", `/devices/${deviceId}/apps/${app}`);
      const accountId = (await world.ask(token, "GET", "/account")).body.account_id;
      const rollout = await world.ask(token, "POST", "/rollouts", { json: { kind: "app", app_id: app } });
      return {
        device_id: deviceId,
        command_id: ordered.body.command_id,
        rollout_id: rollout.body.rollout_id,
        member_id: (await addMember(hub, token, "viewer")).id,
        token_id: (await addProgram(hub, token, ["read"])).id,
        webhook_id: (await world.ask(token, "POST", "/account/webhooks", { json: NEW_WEBHOOK })).body
          .webhook_id,
        group_id: await addGroup(hub, token),
        event_id: await addCrash(hub, { accountId, deviceId, app }),
      };
    };
    /** Everything of the account that is asked about. */
    const state = async () => {
      const { token } = world.account;
      const { device_id, command_id, rollout_id } = foreign;
      const paths = [
        "/account/devices",
        "/account/members",
        "/account/tokens",
        "/account/webhooks",
        "/account/groups",
      ];
      const orders = [
        `/devices/${device_id}/apps`,
        `/devices/${device_id}/commands/${command_id}`,
        `/rollouts/${rollout_id}`,
      ];
      const read = async (path: string) => (await world.ask(token, "GET", path)).body;
      return Promise.all([...paths, ...orders, `/devices/${device_id}/commands`, "/rollouts"].map(read));
    };

    beforeAll(async () => {
      hub = await start();
      world = await World.make(hub);
      app = await world.app();
      const asker = `${world.tokens["other account"]}`;
      const device = await heldDevice(hub, { accountId: "", token: asker });
      own = await idsOf(asker, device.deviceId);
      foreign = await idsOf(world.account.token, world.device.deviceId);
      tokens = {
        account: asker,
        owner: (await addMember(hub, asker, "owner")).token,
        program: (await addProgram(hub, asker, SCOPES)).token,
        device: (await registeredDevice(hub)).token,
      };
    });
    afterAll(() => hub?.stop());

    for (const row of rows)
      test(`are unknown to ${row.method} ${row.path}`, async () => {
        const before = await state();
        const ask = async (token: string, ids: Ids, deviceId?: string) => {
          const filled = { ...ids, ...(deviceId !== undefined && { device_id: deviceId }), app_id: app };
          const path = row.path.replace(/:([a-z_]+)/g, (_, key: keyof typeof filled) => filled[key]);
          const json = BODIES[`${row.method} ${row.path}`] ?? {};
          const options = row.method === "GET" ? {} : { json };
          const { status, body } = await world.ask(token, row.method, path, options);
          return [status, body?.error];
        };
        for (const names of combinations(namesIn(row))) {
          const withIds = (idOf: (name: Owned) => string): Ids => ({
            ...own,
            ...Object.fromEntries(names.map((each) => [each, idOf(each)])),
          });
          const theirs = withIds((each) => foreign[each]);
          const nobodys = withIds(() => randomUUID());
          for (const [who, token] of Object.entries(tokens)) {
            // A device names itself "me", and other devices by their id like anybody.
            const places =
              who === "device" && row.path.includes(":device_id") ? [undefined, "me"] : [undefined];
            for (const deviceId of places) {
              if (deviceId === "me" && !names.some((each) => each !== "device_id")) continue;
              const answer = await ask(token, theirs, deviceId);
              expect([who, names, deviceId, ...answer]).toEqual([
                ...[who, names, deviceId],
                ...(await ask(token, nobodys, deviceId)),
              ]);
              expect([403, 404]).toContain(answer[0]);
            }
          }
        }
        expect(await state()).toEqual(before);
      });
  });
