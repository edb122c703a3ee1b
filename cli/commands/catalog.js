/** `svc catalog`: lists the hub's catalogue. */
import { hubAccess } from "../hub/login.js";
import { requestAll } from "../hub/request.js";
import { textTable } from "../text-table.js";

/** @typedef {import("../../hub/catalog/app-record.ts").CatalogEntry} CatalogEntry */

/** @type {import("../command.js").Command} */
export const catalog = Object.freeze({
  name: "catalog",
  summary: "Lists the apps of the hub, or those that have a text in name, description or author.",
  parameters: [{ name: "QUERY", summary: "the text", isOptional: true }],
  options: [
    {
      name: "sort",
      value: "ORDER",
      summary: "name, published_at or downloads; with a - in front it is turned round",
    },
  ],
  async run({ values: { QUERY: q, sort } }) {
    const access = await hubAccess(["account", "publisher"]);
    /** @type {CatalogEntry[]} */
    const apps = await requestAll({ ...access, path: "/catalog", query: { q, sort } }, "apps");
    const rows = apps.map(({ id, version, author, description }) => [id, version, author, description]);
    return { text: textTable(rows), json: { apps } };
  },
});
