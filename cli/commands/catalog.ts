/** `svc catalog`: lists the hub's catalogue. */
import type { CatalogEntry } from "../../hub/catalog/app-record.js";
import type { Command } from "../command.js";
import { hubAccess } from "../hub/login.js";
import { requestAll } from "../hub/request.js";
import { textTable } from "../text-table.js";

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
    const apps: CatalogEntry[] = await requestAll(
      { ...access, path: "/catalog", query: { q, sort } },
      "apps",
    );
    const rows = apps.map(({ id, version, author, description }) => [id, version, author, description]);
    return { text: textTable(rows), json: { apps } };
  },
});
