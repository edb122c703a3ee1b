/** The hub's database: PostgreSQL where the settings name one, else SQLite in the storage. */
import { mkdir } from "node:fs/promises";
import { Kysely } from "kysely";
import type { HubConfig } from "../config/hub-config.js";
import type { Flavour } from "./flavour.js";
import { guarded } from "./guarded-dialect.js";
import { migrate } from "./migrate.js";
import { MANY_WRITERS, type OtherWriters } from "./other-writers.js";
import { postgresDialect } from "./postgres.js";
import type { Database, Tables } from "./schema.js";
import { openSqlite } from "./sqlite.js";

export interface OpenedDatabase {
  /** Whoever opens it calls `destroy`. */
  readonly database: Database;
  readonly flavour: Flavour;
  readonly otherWriters: OtherWriters;
  /** Which hub it is. */
  readonly hubId: string;
}

export type DatabaseSettings = Pick<HubConfig, "databaseUrl" | "storagePath">;

/**
 * Opens it with all of its tables: makes them, or brings them up to date, where that is needed.
 * @param onLost told of connections to the server that were lost while nobody used them
 * @throws {Error} where there is none to be had, or it is of a newer hub
 */
export async function openDatabase(
  settings: DatabaseSettings,
  onLost: (error: Error) => void = () => {},
): Promise<OpenedDatabase> {
  await mkdir(settings.storagePath, { recursive: true });
  const flavour = settings.databaseUrl === undefined ? "sqlite" : "postgres";
  const patient = connect(settings, true, onLost).database;
  try {
    const hubId = await migrate(patient, flavour);
    return { ...connect(settings, false, onLost), flavour, hubId };
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
