/** The audit log of an account (docs/spec/hub-api.md#audit). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withOperator } from "../../../hub/operator.js";
import { claim, heldDevice, madeAccount, registeredDevice, type TestAccount } from "../api/people.js";
import { addMember, addProgram } from "../api/world.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { eventually } from "../push/channel.js";

interface Entry {
  readonly actor: string;
  readonly actor_id?: string;
  readonly actor_name?: string;
  readonly action: string;
  readonly names: Readonly<Record<string, string>>;
  readonly address: string;
  readonly status: number;
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`An audit log on ${name}`, () => {
    let hub: HubUnderTest;
    let account: TestAccount;
    beforeAll(async () => {
      hub = await start({ environment: { SVC_HUB_TRUST_PROXY: "1" } });
    });
    afterAll(() => hub?.stop());
    beforeEach(async () => {
      account = await madeAccount(hub);
    });

    const ask = (token: string, method: string, path: string, headers: Record<string, string> = {}) =>
      request(hub.origin, method, path, { token, headers });
    const logOf = async ({ token }: TestAccount, query = "") =>
      (await ask(token, "GET", `/account/audit${query}`)).body as { entries: Entry[]; next?: string };
    /** Entries are written soon after the answer. */
    const entries = async (count: number) =>
      (
        await eventually(
          () => logOf(account),
          (log) => log.entries.length >= count,
        )
      ).entries;

    test("has who did what from where, newest first", async () => {
      // Each process writes its own entries: the next request waits, so that their order is that of the requests.
      const { deviceId } = await heldDevice(hub, account);
      await entries(1);
      const member = await addMember(hub, account.token, "operator");
      await entries(2);
      const program = await addProgram(hub, account.token, ["orders"]);
      await entries(3);
      const path = `/devices/${deviceId}/apps/tetris`;
      await ask(member.token, "DELETE", path, { "x-forwarded-for": "192.0.2.7" });
      await entries(4);
      await ask(program.token, "DELETE", path, { "x-forwarded-for": "2001:db8::7" });
      const all = await entries(5);
      const action = "DELETE /devices/{device_id}/apps/{app_id}";
      const order = { action, names: { device_id: deviceId, app_id: "tetris" }, status: 202 };
      expect(all).toMatchObject([
        { ...order, actor: "program", actor_id: program.id, address: "2001:db8::7" },
        { ...order, actor: "member", actor_id: member.id, address: "192.0.2.7" },
        { actor: "account", action: "POST /account/tokens", names: {}, status: 201 },
        { actor: "account", action: "POST /account/members", status: 201 },
        { actor: "account", action: "POST /account/devices", status: 200 },
      ]);
      expect(all[1]?.actor_name).toMatch(/^operator /);
      expect(all[2]).not.toHaveProperty("actor_id");
    });

    test("has what was refused, and no reads", async () => {
      const { token } = await addMember(hub, account.token, "viewer");
      await ask(token, "GET", "/account/devices");
      await ask(token, "DELETE", "/account");
      await claim(hub, account, "no code");
      const all = await entries(3);
      expect(all.map(({ action, status }) => `${action} ${status}`).sort()).toEqual([
        "DELETE /account 403",
        "POST /account/devices 404",
        "POST /account/members 201",
      ]);
    });

    test("has a name from a path as it was sent, up to 128 characters", async () => {
      for (const id of ["%00%F0%9F%8E%AE", "x".repeat(500)])
        await ask(account.token, "DELETE", `/account/tokens/${id}`);
      const names = (await entries(2)).map((entry) => entry.names["token_id"]);
      expect(names.sort()).toEqual(["\0🎮", "x".repeat(128)]);
    });

    test("keeps the name of a member who was removed", async () => {
      const { id, token } = await addMember(hub, account.token, "owner");
      await entries(1);
      await ask(token, "DELETE", `/account/members/${id}`);
      const [last] = await entries(2);
      expect(last).toMatchObject({
        actor: "member",
        actor_id: id,
        actor_name: expect.stringMatching(/^owner /),
      });
    });

    test("says when the operator of the hub has replaced the account's token", async () => {
      const { account_token: token } = await withOperator(hub.environment, ({ accounts }) =>
        accounts.renewToken(account.accountId),
      );
      const { entries: all } = await logOf({ ...account, token });
      expect(all).toMatchObject([{ actor: "operator", action: "svc hub account token" }]);
    });

    test("belongs to its account, and is read in pages", async () => {
      for (let count = 0; count < 5; count++) await ask(account.token, "DELETE", `/account/tokens/${count}`);
      const all = await entries(5);
      const first = await logOf(account, "?per_page=3");
      const second = await logOf(account, `?per_page=3&after=${first.next}`);
      expect([...first.entries, ...second.entries]).toEqual(all);
      expect(second).not.toHaveProperty("next");
      expect((await logOf(await madeAccount(hub))).entries).toEqual([]);
    });

    test("has no requests of consoles", async () => {
      const device = await registeredDevice(hub);
      await claim(hub, account, device.claimCode);
      await ask(device.token, "DELETE", "/devices/me/apps/tetris");
      await ask(account.token, "DELETE", "/account/tokens/last");
      expect((await entries(2)).map(({ action }) => action)).not.toContain(
        "DELETE /devices/{device_id}/apps/{app_id}",
      );
    });
  });
