/** Deletes the devices of a rollout, which refer to it and so go before it. */
import { sql } from "kysely";
import type { Database } from "../database/schema.js";

/**
 * @param limit of rows, which a statement of some milliseconds deletes
 * @returns how many devices it has deleted: fewer than the limit if none is left
 */
export async function deleteRolloutDevices(
  database: Database,
  rolloutId: string,
  limit: number,
): Promise<number> {
  const { rows } = await sql<unknown>`
    delete from rollout_devices where rollout_id = ${rolloutId} and device_id in (
      select device_id from rollout_devices where rollout_id = ${rolloutId} limit ${limit})
    returning device_id`.execute(database);
  return rows.length;
}
