/**
 * What needs attention in an account's fleet, as numbers (docs/spec/hub-api.md#attention). Each is counted in an index,
 * up to a limit.
 */
import { sql } from "kysely";
import Type, { type Static } from "typebox";
import type { HubContext } from "../context.js";
import { FAILED_MS, longOffline } from "./device-filter.js";

/** Counting stops here. */
const COUNT_LIMIT = 10_000;

/** A rollout that the hub has stopped needs attention for this long. */
const STOPPED_MS = 7 * 24 * 3_600_000;

function count(description: string) {
  return Type.Integer({ minimum: 0, maximum: COUNT_LIMIT, description });
}

export const ATTENTION = Type.Object(
  {
    devices_failed: count("Consoles that have failed a command in the last day"),
    commands_failed: count("Commands that have failed in the last day"),
    devices_crashed: count("Consoles that have crashed in the last day, or whose app has"),
    devices_offline: count("Consoles that were not seen for a day"),
    rollouts_stopped: count("Rollouts that the hub has stopped in the last seven days"),
  },
  { title: "Attention" },
);

export async function attention(
  { database, now }: Pick<HubContext, "database" | "now">,
  accountId: string,
): Promise<Static<typeof ATTENTION>> {
  const at = now();
  const failed = sql`from device_events
    where account_id = ${accountId} and kind = 'failed' and at > ${at - FAILED_MS}`;
  const crashed = sql`from device_events
    where account_id = ${accountId} and kind = 'crashed' and at > ${at - FAILED_MS}`;
  const { rows } = await sql<Record<keyof Static<typeof ATTENTION>, number>>`select
    (select count(*) from (select distinct device_id ${failed} limit ${COUNT_LIMIT}) as failed) as devices_failed,
    (select count(*) from (select 1 ${failed} limit ${COUNT_LIMIT}) as failed) as commands_failed,
    (select count(*) from (select distinct device_id ${crashed} limit ${COUNT_LIMIT}) as crashed) as devices_crashed,
    (select count(*) from (${longOffline(accountId, at)} limit ${COUNT_LIMIT}) as gone) as devices_offline,
    (select count(*) from (select 1 from rollouts where account_id = ${accountId} and state = 'stopped'
      and updated_at > ${at - STOPPED_MS} limit ${COUNT_LIMIT}) as stopped) as rollouts_stopped`.execute(
    database,
  );
  const [counts] = rows;
  return {
    devices_failed: Number(counts?.devices_failed),
    commands_failed: Number(counts?.commands_failed),
    devices_crashed: Number(counts?.devices_crashed),
    devices_offline: Number(counts?.devices_offline),
    rollouts_stopped: Number(counts?.rollouts_stopped),
  };
}
