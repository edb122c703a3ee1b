/** The hub's database: PostgreSQL where the settings name one, else SQLite in the storage. */
import { Kysely } from "kysely";
import type { HubConfig } from "../config/hub-config.js";
import { makeDirectory } from "../files/make-directory.js";
import type { Dialect } from "./dialect.js";
import { guarded } from "./guarded-dialect.js";
import { requireSecret } from "./hub-secret.js";
import { MIGRATIONS, migrate } from "./migrate.js";
import { MANY_WRITERS, type OtherWriters } from "./other-writers.js";
import { postgresDialect } from "./postgres.js";
import type { Database, Tables } from "./schema.js";
import { openSqlite } from "./sqlite.js";

export interface OpenedDatabase {
  /** Whoever opens it calls `destroy`. */
  readonly database: Database;
  readonly dialect: Dialect;
  readonly otherWriters: OtherWriters;
  /** Which hub it is. */
  readonly hubId: string;
}

export interface DatabaseSettings extends Pick<HubConfig, "databaseUrl" | "storagePath"> {
  /** Which is to be the hub's; left out by who has to do with no token. */
  readonly secret?: string;
}

/**
 * Opens it with all of its tables: makes them, or brings them up to date, where that is needed.
 * @param onLost told of connections to the server that were lost while nobody used them
 * @param makesHub whether the tables are made where there is none
 * @param say told what the operator should know of an upgrade
 * @throws {ConfigError} where the hub has another secret
 * @throws {Error} where there is none to be had, or it is of a newer hub
 */
export async function openDatabase(
  settings: DatabaseSettings,
  onLost: (error: Error) => void = () => {},
  makesHub = true,
  say: (news: string) => void = () => {},
): Promise<OpenedDatabase> {
  const dialect = settings.databaseUrl === undefined ? "sqlite" : "postgres";
  if (dialect === "sqlite") await makeDirectory(settings.storagePath);
  const patient = connect(settings, true, onLost).database;
  try {
    const hubId = await migrate(patient, dialect, MIGRATIONS, makesHub, say);
    if (settings.secret !== undefined) await requireSecret(patient, settings.secret);
    return { ...connect(settings, false, onLost), dialect, hubId };
  } finally {
    await patient.destroy();
  }
}

function connect(
  { databaseUrl, storagePath }: DatabaseSettings,
  isPatient: boolean,
  onLost: (error: Error) => void,
): Pick<OpenedDatabase, "database" | "otherWriters"> {
  const { dialect, otherWriters } =
    databaseUrl === undefined
      ? openSqlite(storagePath)
      : { dialect: postgresDialect(databaseUrl, { isPatient, onLost }), otherWriters: MANY_WRITERS };
  return { database: new Kysely<Tables>({ dialect: guarded(dialect) }), otherWriters };
}
