/** A hub's SQLite database that is gone when it is closed. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type OpenedDatabase, openDatabase } from "../../../../hub/database/open-database.js";

export async function openTemporaryDatabase(): Promise<OpenedDatabase> {
  const storagePath = await mkdtemp(path.join(tmpdir(), "hub-database-"));
  const opened = await openDatabase({ storagePath, databaseUrl: undefined });
  await rm(storagePath, { recursive: true }); // the file lives as long as it is open
  return opened;
}
