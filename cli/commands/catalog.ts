/** `svc catalog` and `svc push`: list the hub's catalogue, and install an app from it on a console. */
import { CATALOG_LIST } from "../../protocol/hub/answers/catalog.js";
import { QUEUED } from "../../protocol/hub/answers/devices.js";
import type { Command } from "../command.js";
import { hubAccess } from "../hub/login.js";
import { requestAll, requestHub } from "../hub/request.js";
import { textTable } from "../terminal/format.js";

export const catalog: Command = Object.freeze<Command>({
  name: "catalog",
  summary: "List the apps in the hub's catalogue.",
  parameters: [
    { name: "QUERY", summary: "only apps with this text in name, description or author", isOptional: true },
  ],
  options: [
    {
      name: "sort",
      value: "ORDER",
      summary: "sort by name, published_at or downloads; a leading - reverses the order",
    },
  ],
  async run({ values: { QUERY: q, sort } }) {
    const access = await hubAccess(["account", "publisher"]);
    const apps = await requestAll(CATALOG_LIST, { ...access, path: "/catalog", query: { q, sort } }, "apps");
    const rows = apps.map(({ id, name, version, author, description }) => {
      return [id, version, author, [...(name === id ? [] : [name]), description].join(": ")];
    });
    return { text: textTable(rows), json: { apps } };
  },
});

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
    const given = await requestHub(QUEUED, {
      ...access,
      method: "POST",
      path,
      json: version ? { version } : {},
    });
    const what = given.state === "sent" ? "sent to the console" : "queued until the console connects";
    return { text: `command ${given.command_id}: ${what}`, json: given };
  },
});
