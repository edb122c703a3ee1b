/** `svc push`: installs an app of the hub's catalogue on a console of the account, through the hub. */
import { hubAccess } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

/** @type {import("../command.js").Command} */
export const push = Object.freeze({
  name: "push",
  summary: "Has an app of the hub installed on a console of your account.",
  parameters: [{ name: "APP", summary: "its name in the catalogue" }],
  options: [
    { name: "device-id", value: "ID", summary: "as `svc hub devices` says", isRequired: true },
    { name: "version", value: "VERSION", summary: "the newest when left out" },
  ],
  async run({ values: { APP: app = "", deviceId = "", version } }) {
    const access = await hubAccess(["account"]);
    const path = `/devices/${encodeURIComponent(deviceId)}/apps/${encodeURIComponent(app)}/install`;
    /** @type {{ command_id: string, state: "sent" | "queued" }} */
    const given = await requestHub({ ...access, method: "POST", path, json: version ? { version } : {} });
    const what =
      given.state === "sent" ? "the console is being told" : "the console is told when it connects";
    return { text: `command ${given.command_id}: ${what}`, json: given };
  },
});
