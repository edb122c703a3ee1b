/**
 * The hub's one secret. With another secret, no token would be recognized and new tokens would be useless to the hub.
 * The first process or operator command stores a check value of it in the database.
 */
import { TokenHasher } from "../auth/tokens.js";
import { ConfigError } from "../config/variables.js";
import type { Database } from "./schema.js";

/** No token is written like that. */
const CHECKED = "the secret of this hub";

/**
 * @param database whose hub has its row
 * @throws {ConfigError} for another secret than the hub's
 */
export async function requireSecret(database: Database, secret: string): Promise<void> {
  const secret_check = new TokenHasher(secret).hash(CHECKED);
  await database.updateTable("hub").set({ secret_check }).where("secret_check", "is", null).execute();
  const hub = await database.selectFrom("hub").select("secret_check").executeTakeFirst();
  if (hub?.secret_check === secret_check) return;
  throw new ConfigError(
    'Cannot use SVC_HUB_SECRET, or "secret" in the storage where it is not set: it is not that of the hub of this database',
  );
}
