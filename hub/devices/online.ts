/** Which devices are connected: those whose row names a process with a recent heartbeat. */
import { inPieces } from "../database/bulk.js";
import type { Database } from "../database/schema.js";
import { PROCESS_FRESH_MS } from "../processes.js";

/** The process that holds the connection of each device that is online. */
export async function processesHolding(
  database: Database,
  deviceIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const holders = new Map<string, string>();
  for (const piece of inPieces(deviceIds))
    for (const { device_id, process_id } of await database
      .selectFrom("devices")
      .innerJoin("processes", "processes.id", "devices.process_id")
      .where("processes.heartbeat_at", ">", now - PROCESS_FRESH_MS)
      .where("devices.id", "in", piece)
      .select(["devices.id as device_id", "processes.id as process_id"])
      .execute())
      holders.set(device_id, process_id);
  return holders;
}
