/** The database of a hub under test, for states that no client can cause. */
import { readConfig } from "../../../hub/config/read-config.js";
import { openDatabase } from "../../../hub/database/open-database.js";
import type { Database } from "../../../hub/database/schema.js";
import type { HubUnderTest } from "../hosts/hub-under-test.js";

export async function withDatabase<Result>(
  hub: HubUnderTest,
  use: (database: Database) => Promise<Result>,
): Promise<Result> {
  const { database } = await openDatabase(await readConfig(hub.environment));
  try {
    return await use(database);
  } finally {
    await database.destroy();
  }
}
