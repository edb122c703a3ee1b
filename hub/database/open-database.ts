/** Opens the hub's database: PostgreSQL if the settings name one, else SQLite in the storage. */
import { setTimeout } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { Kysely } from "kysely";
import { faultOf } from "../api/refusals.js";
import { TokenHasher } from "../auth/tokens.js";
import type { HubConfig } from "../config/read-config.js";
import { ConfigError } from "../config/variables.js";
import { makeDirectory } from "../files/content-store.js";
import { guarded } from "./guarded-dialect.js";
import { MIGRATIONS, migrate } from "./migrate.js";
import { MANY_WRITERS, type OtherWriters } from "./other-writers.js";
import { postgresDialect } from "./postgres.js";
import type { Database, Dialect, Tables } from "./schema.js";
import { openSqlite } from "./sqlite.js";

const WAIT_LIMIT_MS = 30_000;
const RETRY_MS = 500;

/**
 * Waits, for a limited time, for a database server that starts at the same time as the hub.
 * @throws {Error} from `open`, at once if waiting does not help
 */
export async function waitForDatabase<Opened>(
  open: () => Promise<Opened>,
  logger: FastifyBaseLogger,
): Promise<Opened> {
  const until = performance.now() + WAIT_LIMIT_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await open();
    } catch (error) {
      if (faultOf(error).code !== "busy" || performance.now() > until) throw error;
      if (isFirst) logger.warn({ err: error }, "cannot reach the database yet");
      await setTimeout(RETRY_MS);
    }
  }
}

export interface OpenedDatabase {
  /** The caller must call `destroy`. */
  readonly database: Database;
  readonly dialect: Dialect;
  readonly otherWriters: OtherWriters;
  /** The id of the hub whose database this is. */
  readonly hubId: string;
}

interface DatabaseSettings extends Pick<HubConfig, "databaseUrl" | "storagePath"> {
  /** Must be the hub's. Left out by callers that use no tokens. */
  readonly secret?: string;
}

/**
 * Opens the database, and creates or migrates its tables if needed.
 * @param onLost receives errors of idle connections to the server
 * @param createsHub whether to create missing tables
 * @throws {ConfigError} if the hub has another secret
 * @throws {Error} if the database is unreachable, or belongs to a newer hub
 */
export async function openDatabase(
  settings: DatabaseSettings,
  onLost: (error: Error) => void = () => {},
  createsHub = true,
): Promise<OpenedDatabase> {
  const dialect = settings.databaseUrl === undefined ? "sqlite" : "postgres";
  if (dialect === "sqlite") await makeDirectory(settings.storagePath);
  const migrating = connect(settings, true, onLost).database;
  try {
    const hubId = await migrate(migrating, dialect, MIGRATIONS, createsHub);
    if (settings.secret !== undefined) await requireSecret(migrating, settings.secret);
    return { ...connect(settings, false, onLost), dialect, hubId };
  } finally {
    await migrating.destroy();
  }
}

/**
 * Connects without looking for a hub.
 * @param isMigrating lifts the time limit of statements
 */
export function connect(
  { databaseUrl, storagePath }: DatabaseSettings,
  isMigrating: boolean,
  onLost: (error: Error) => void,
): Pick<OpenedDatabase, "database" | "otherWriters"> {
  const { dialect, otherWriters } =
    databaseUrl === undefined
      ? openSqlite(storagePath)
      : { dialect: postgresDialect(databaseUrl, { isMigrating, onLost }), otherWriters: MANY_WRITERS };
  return { database: new Kysely<Tables>({ dialect: guarded(dialect) }), otherWriters };
}

/** Hashed into the check value of the secret. It does not have the format of a token. */
const CHECKED = "the secret of this hub";

/**
 * Checks that the secret is the hub's. With another secret, the hub would recognize no token. The first process or
 * operator command stores a check value of the secret in the database.
 * @throws {ConfigError} for another secret
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
