/**
 * What the operator does where the hub's environment is (section 13 of the decisions): it takes the hub's settings and
 * database, no server, and works while the hub runs and while it does not.
 */
import { TokenHasher } from "./auth/token-hasher.js";
import { readConfig } from "./config/read-config.js";
import type { Environment } from "./config/variables.js";
import { openDatabase } from "./database/open-database.js";
import { Publishers } from "./publishers/publishers.js";

/** Told what the operator should know. */
export type OnNews = (news: string) => void;

/**
 * Has the publishers of the hub of this environment used, which is made where it is not there yet.
 * @throws {ConfigError} for settings that no hub would start with
 * @throws {Error} where the database is not to be had
 */
export async function withPublishers<Result>(
  environment: Environment,
  use: (publishers: Publishers) => Promise<Result>,
  onNews?: OnNews,
): Promise<Result> {
  const config = await readConfig(environment, onNews);
  const { database } = await openDatabase(config);
  try {
    const hasher = new TokenHasher(config.secret);
    return await use(new Publishers({ database, hasher, now: Date.now }));
  } finally {
    await database.destroy();
  }
}

/**
 * A publisher whose first key is in `pem`.
 * @returns the token, which cannot be had again
 * @throws {Fault} `bad_parameter`, `keys_invalid`, `publisher_exists`
 */
export function addPublisher(
  environment: Environment,
  name: string,
  pem: string,
  onNews?: OnNews,
): Promise<{ readonly publisher_id: string; readonly token: string }> {
  return withPublishers(environment, (publishers) => publishers.add(name, pem), onNews);
}
