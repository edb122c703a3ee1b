/** `svc hub account create`, `svc hub claim` and `svc hub devices`: manage accounts and their consoles. */
import type { DeviceRecord } from "../../hub/devices/device-record.js";
import type { Command } from "../command.js";
import { hubAccess, hubUrl } from "../hub/login.js";
import { requestAll, requestHub } from "../hub/request.js";
import { textTable } from "../text-table.js";

export const hubAccountCreate: Command = Object.freeze<Command>({
  name: "hub account create",
  summary: "Create an account and print its token, which is not shown again.",
  parameters: [],
  options: [],
  async run() {
    const account: { account_id: string; account_token: string } = await requestHub({
      url: await hubUrl(),
      method: "POST",
      path: "/accounts",
    });
    return { text: `account ${account.account_id}\ntoken ${account.account_token}`, json: account };
  },
});

export const hubClaim: Command = Object.freeze<Command>({
  name: "hub claim",
  summary: "Add a console to your account.",
  parameters: [
    { name: "CODE", summary: "claim code of the console; show it with `svc shell hub status` over USB" },
  ],
  options: [],
  async run({ values: { CODE: claim_code = "" } }) {
    const access = await hubAccess(["account"]);
    const device: DeviceRecord = await requestHub({
      ...access,
      method: "POST",
      path: "/account/devices",
      json: { claim_code },
    });
    return { text: `claimed ${textTable([[device.device_id, device.name]])}`, json: device };
  },
});

export const hubDevices: Command = Object.freeze<Command>({
  name: "hub devices",
  summary: "List the consoles of your account.",
  parameters: [],
  options: [],
  async run() {
    const access = await hubAccess(["account"]);
    const devices: DeviceRecord[] = await requestAll({ ...access, path: "/account/devices" }, "devices");
    const rows = devices.map(({ device_id, name, arch, firmware_version, online }) => {
      return [device_id, online ? "online" : "offline", arch, firmware_version, name];
    });
    return { text: textTable(rows), json: { devices } };
  },
});
