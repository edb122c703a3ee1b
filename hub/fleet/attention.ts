/**
 * What needs attention in an account's fleet, as numbers (docs/spec/hub-api.md#attention). Each is counted in an index,
 * up to a limit.
 */
import { sql } from "kysely";
import { ATTENTION_LIMIT, type Attention } from "../../protocol/hub/answers/fleet.js";
import type { HubContext } from "../context.js";
import { FAILED_MS, longOffline } from "./device-filter.js";

/** A rollout that the hub has stopped needs attention for this long. */
const STOPPED_MS = 7 * 24 * 3_600_000;

export async function attention(
  { database, now }: Pick<HubContext, "database" | "now">,
  accountId: string,
): Promise<Attention> {
  const at = now();
  const failed = sql`from device_events
    where account_id = ${accountId} and kind = 'failed' and at > ${at - FAILED_MS}`;
  const crashed = sql`from device_events
    where account_id = ${accountId} and kind = 'crashed' and at > ${at - FAILED_MS}`;
  const { rows } = await sql<Record<keyof Attention, number>>`select
    (select count(*) from (select distinct device_id ${failed} limit ${ATTENTION_LIMIT}) as failed) as devices_failed,
    (select count(*) from (select 1 ${failed} limit ${ATTENTION_LIMIT}) as failed) as commands_failed,
    (select count(*) from (select distinct device_id ${crashed} limit ${ATTENTION_LIMIT}) as crashed) as devices_crashed,
    (select count(*) from (${longOffline(accountId, at)} limit ${ATTENTION_LIMIT}) as gone) as devices_offline,
    (select count(*) from (select 1 from rollouts where account_id = ${accountId} and state = 'stopped'
      and updated_at > ${at - STOPPED_MS} limit ${ATTENTION_LIMIT}) as stopped) as rollouts_stopped`.execute(
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
