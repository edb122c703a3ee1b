/** `svc push`: installs an app of the hub's catalogue on a console of the account, through the hub. */
import type { Command } from "../command.js";
import { hubAccess } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

export const push: Command = Object.freeze<Command>({
  name: "push",
  summary: "Install an app from the hub on a console of your account.",
  parameters: [{ name: "APP", summary: "name of the app in the catalogue" }],
  options: [
    {
      name: "device-id",
      value: "ID",
      summary: "id of the console, as `svc hub devices` lists it",
      isRequired: true,
    },
    { name: "version", value: "VERSION", summary: "version to install; default: the newest" },
  ],
  async run({ values: { APP: app = "", deviceId = "", version } }) {
    const access = await hubAccess(["account"]);
    const path = `/devices/${encodeURIComponent(deviceId)}/apps/${encodeURIComponent(app)}/install`;
    const given: { command_id: string; state: "sent" | "queued" } = await requestHub({
      ...access,
      method: "POST",
      path,
      json: version ? { version } : {},
    });
    const what = given.state === "sent" ? "sent to the console" : "queued until the console connects";
    return { text: `command ${given.command_id}: ${what}`, json: given };
  },
});
