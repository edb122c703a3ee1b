/** Accounts as the operator manages them (docs/spec/hub-api.md#account-operator). */
import { expect, onTestFinished, test } from "vitest";
import { withOperator } from "../../../hub/operator.js";
import { runSvcIn, SVC_TIMEOUT_MS } from "../../unit/cli/run-svc.js";
import { HUBS, type HubOptions, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { heldDevice, madeAccount, registeredDevice } from "./people.js";

const devicesOf = (hub: HubUnderTest, token: string) =>
  request(hub.origin, "GET", "/account/devices", { token });

for (const { name, missing, start } of HUBS) {
  const started = async (options?: HubOptions) => {
    const hub = await start(options);
    onTestFinished(() => hub.stop());
    return hub;
  };

  test.skipIf(missing)(`A lost token of an account is replaced by the operator on ${name}`, async () => {
    const hub = await started();
    const account = await madeAccount(hub);
    const device = await heldDevice(hub, account);
    const other = await madeAccount(hub);
    const free = await registeredDevice(hub);
    const renew = (which: string) =>
      withOperator(hub.environment, ({ accounts }) => accounts.renewToken(which));
    let { token } = account;
    expect((await devicesOf(hub, token)).body.total).toBe(1);
    const { mac = "" } = device.registration;
    for (const which of [account.accountId, device.deviceId, mac, mac.toLowerCase()]) {
      const renewed = await renew(which);
      expect(renewed.account_id).toBe(account.accountId);
      await expect.poll(async () => (await devicesOf(hub, token)).status).toBe(401);
      token = renewed.account_token;
      expect((await devicesOf(hub, token)).body.devices).toMatchObject([{ device_id: device.deviceId }]);
    }
    for (const which of ["nobody", free.deviceId, free.registration["mac"] ?? ""])
      await expect(renew(which)).rejects.toMatchObject({ code: "account_not_found" });
    expect((await devicesOf(hub, other.token)).status).toBe(200);
    await request(hub.origin, "DELETE", "/account", other);
    await expect(renew(other.accountId)).rejects.toMatchObject({ code: "account_not_found" });
  });

  // docs/spec/hub-api.md#sign-up
  test.skipIf(missing)(
    `Accounts are added by the operator alone where sign-up is off, on ${name}`,
    async () => {
      const hub = await started({ environment: { SVC_HUB_SIGN_UP: "off" } });
      for (const origin of hub.origins) {
        const refused = await request(origin, "POST", "/accounts");
        expect([refused.status, refused.body.error]).toEqual([403, "forbidden"]);
      }
      const svc = (...args: string[]) => {
        const { status, stderr, stdout } = runSvcIn(hub.environment, ["hub", "account", ...args, "--json"]);
        expect([status, stderr]).toEqual([0, ""]);
        return JSON.parse(stdout);
      };
      const added = svc("add");
      const device = await heldDevice(hub, { accountId: added.account_id, token: added.account_token });
      expect(svc("list").accounts).toEqual([
        { account_id: added.account_id, created_at: expect.stringMatching(/Z$/), consoles: 1 },
      ]);
      const { account_token } = svc("token", device.deviceId);
      expect((await devicesOf(hub, account_token)).body.total).toBe(1);
    },
    3 * SVC_TIMEOUT_MS,
  );
}
