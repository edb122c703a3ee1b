/**
 * Deletes what the hub keeps of an account that ends (docs/spec/hub-api.md#account-end), in pieces, between which other
 * statements get in.
 */
import { sql } from "kysely";
import { PENDING } from "../commands/command-rows.js";
import type { Database } from "../database/schema.js";
import { deleteRolloutDevices } from "../rollouts/rollout-deletion.js";

/** Rows of one statement, which blocks a process on SQLite for some milliseconds. */
const ROWS_AT_ONCE = 1000;

/** Tables with few rows of an account each, or (deliveries) with ten thousand. */
const SMALL_TABLES = ["account_tokens", "webhooks", "webhook_deliveries", "device_groups"] as const;

/** What happened to a console while the account held it, as a part of its release. */
export async function eraseHistory(database: Database, accountId: string, deviceId: string): Promise<void> {
  await database
    .deleteFrom("device_events")
    .where("device_id", "=", deviceId)
    .where("account_id", "=", accountId)
    .execute();
  await database
    .deleteFrom("commands")
    .where("device_id", "=", deviceId)
    .where("state", "<>", PENDING) // none is, once they are cancelled
    .execute();
}

/** Everything but the account's own row. Safe to repeat. */
export async function eraseAccount(database: Database, accountId: string): Promise<void> {
  for (const table of SMALL_TABLES)
    await database.deleteFrom(table).where("account_id", "=", accountId).execute();
  for (;;) {
    const rollouts = await database
      .selectFrom("rollouts")
      .select("id")
      .where("account_id", "=", accountId)
      .limit(ROWS_AT_ONCE)
      .execute();
    for (const { id } of rollouts) await eraseRollout(database, id);
    if (rollouts.length < ROWS_AT_ONCE) break;
  }
  await inPieces(async () => {
    const { rows } = await sql<unknown>`
      delete from audit where position in (
        select position from audit where account_id = ${accountId} limit ${ROWS_AT_ONCE})
      returning position`.execute(database);
    return rows.length;
  });
}

async function eraseRollout(database: Database, id: string): Promise<void> {
  await inPieces(() => deleteRolloutDevices(database, id, ROWS_AT_ONCE));
  await database.deleteFrom("rollouts").where("id", "=", id).execute();
}

/** @param deletePiece returns how many rows it has deleted */
async function inPieces(deletePiece: () => Promise<number>): Promise<void> {
  while ((await deletePiece()) === ROWS_AT_ONCE);
}
