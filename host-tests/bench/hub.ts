/** `npm run bench:hub`: a hub with SQLite against its budgets. */
import { measureFleet } from "./hub-fleet.js";
import { measureRoutes } from "./hub-routes.js";
import type { AddRow } from "./row.js";

export default async function measure(addRow: AddRow): Promise<void> {
  await measureRoutes(addRow);
  await measureFleet(addRow);
}
