/**
 * Keeps files consistent with the database rows that name them, without a common transaction. A file is stored before
 * its row is committed, so that every row has its file. A file that no row names is deleted: by the upload that stored
 * it and then failed, or at the next start if the upload was interrupted.
 *
 * A concurrent upload may have found the same content and rely on it. So a caller that puts files holds a shared lock
 * until its transaction ends, and a caller that deletes checks and deletes under a lock that excludes all of those.
 * PostgreSQL: an advisory lock that ends with its transaction in any case. SQLite: the single write lock.
 */
import { sql, type Transaction } from "kysely";
import type { HubContext } from "../context.js";
import type { Database, Dialect, Tables } from "../database/schema.js";
import { inPieces, retriedTransaction } from "../database/transactions.js";

type Context = Pick<HubContext, "database" | "files" | "dialect" | "logger">;

/** Key of the lock in a PostgreSQL database. */
const LOCK = 782_483;

/** Stores a file for a row that the transaction writes. */
export type Put = (content: Uint8Array) => Promise<void>;

/**
 * Runs a transaction that writes rows and stores the files that they name.
 * @param work called once per attempt; must have no other effect
 * @throws {Fault} `storage_full`, and what `work` throws; then the files that it alone stored are deleted
 */
export async function fileTransaction<Result>(
  context: Context,
  work: (transaction: Transaction<Tables>, put: Put) => Promise<Result>,
): Promise<Result> {
  const { database, files, dialect } = context;
  const stored = new Set<string>();
  try {
    return await retriedTransaction(database, (transaction) =>
      work(transaction, async (content) => {
        if (dialect === "postgres")
          await sql`select pg_advisory_xact_lock_shared(${LOCK})`.execute(transaction);
        stored.add(await files.put(content));
      }),
    );
  } catch (error) {
    await deleteUnnamed(context, [...stored]);
    throw error;
  }
}

/** Deletes those of these files that no row names. The next start deletes what cannot be deleted now. */
export async function deleteUnnamed(context: Context, stored: readonly string[]): Promise<void> {
  try {
    await deleteUnreferenced(context, stored);
  } catch (error) {
    context.logger.warn({ err: error }, "cannot delete files that nothing names");
  }
}

/**
 * Deletes old files that no row names, left by uploads whose process ended. Does nothing if the store belongs to a hub with
 * another database.
 */
export async function deleteOrphans(context: Context, hubId: string): Promise<void> {
  const { files, logger } = context;
  const owner = await files.owner(hubId);
  if (owner === hubId) await deleteUnreferenced(context, await files.old());
  else logger.warn({ owner, hub: hubId }, "the files in the storage belong to another hub");
}

async function deleteUnreferenced(
  { database, files, dialect }: Context,
  hashes: readonly string[],
): Promise<void> {
  for (const piece of inPieces(await unreferenced(database, hashes)))
    await database.transaction().execute(async (transaction) => {
      await lockExclusively(transaction, dialect);
      for (const sha256 of await unreferenced(transaction, piece)) await files.delete(sha256);
    });
}

async function lockExclusively(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  if (dialect === "postgres") await sql`select pg_advisory_xact_lock(${LOCK})`.execute(transaction);
}

/** Returns the hashes that no row names. */
async function unreferenced(database: Database, hashes: readonly string[]): Promise<readonly string[]> {
  const named = new Set<string | null>();
  for (const piece of inPieces(hashes))
    for (const { sha256 } of await referencedAmong(database, piece)) named.add(sha256);
  return hashes.filter((sha256) => !named.has(sha256));
}

function referencedAmong(database: Database, hashes: readonly string[]) {
  return database
    .selectFrom("app_versions")
    .select("sha256")
    .where("sha256", "in", hashes)
    .unionAll(database.selectFrom("firmware").select("sha256").where("sha256", "in", hashes))
    .unionAll(
      database
        .selectFrom("app_versions")
        .select("icon_sha256 as sha256")
        .where("icon_sha256", "in", hashes)
        .$castTo<{ sha256: string }>(),
    )
    .unionAll(
      database
        .selectFrom("app_versions")
        .select("lines_sha256 as sha256")
        .where("lines_sha256", "in", hashes)
        .$castTo<{ sha256: string }>(),
    )
    .unionAll(database.selectFrom("app_screenshots").select("sha256").where("sha256", "in", hashes))
    .execute();
}
