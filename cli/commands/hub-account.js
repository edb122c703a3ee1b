/** `svc hub account create`, `svc hub claim` and `svc hub devices`: manage accounts and their consoles. */
import { hubAccess, hubUrl } from "../hub/login.js";
import { requestAll, requestHub } from "../hub/request.js";
import { textTable } from "../text-table.js";

/** @typedef {import("../../hub/devices/device-record.ts").DeviceRecord} DeviceRecord */

/** @type {import("../command.js").Command} */
export const hubAccountCreate = Object.freeze({
  name: "hub account create",
  summary: "Makes an account, and prints its token, once.",
  parameters: [],
  options: [],
  async run() {
    /** @type {{ account_id: string, account_token: string }} */
    const account = await requestHub({ url: await hubUrl(), method: "POST", path: "/accounts" });
    return { text: `account ${account.account_id}\ntoken ${account.account_token}`, json: account };
  },
});

/** @type {import("../command.js").Command} */
export const hubClaim = Object.freeze({
  name: "hub claim",
  summary: "Takes a console into your account.",
  parameters: [{ name: "CODE", summary: "that the console says over its cable: `hub status` in its shell" }],
  options: [],
  async run({ values: { CODE: claim_code = "" } }) {
    const access = await hubAccess(["account"]);
    /** @type {DeviceRecord} */
    const device = await requestHub({
      ...access,
      method: "POST",
      path: "/account/devices",
      json: { claim_code },
    });
    return { text: `claimed ${textTable([[device.device_id, device.name]])}`, json: device };
  },
});

/** @type {import("../command.js").Command} */
export const hubDevices = Object.freeze({
  name: "hub devices",
  summary: "Lists the consoles of your account.",
  parameters: [],
  options: [],
  async run() {
    const access = await hubAccess(["account"]);
    /** @type {DeviceRecord[]} */
    const devices = await requestAll({ ...access, path: "/account/devices" }, "devices");
    const rows = devices.map(({ device_id, name, arch, firmware_version, online }) => {
      return [device_id, online ? "online" : "offline", arch, firmware_version, name];
    });
    return { text: textTable(rows), json: { devices } };
  },
});
