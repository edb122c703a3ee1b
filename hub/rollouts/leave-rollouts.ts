/** Removes a device that its account gives back from the rollouts of that account. */
import type { Transaction } from "kysely";
import type { Tables } from "../database/schema.js";
import { IS_UNDER_WAY } from "./rollouts-due.js";

/** Ends its waiting. Where it was sent something already, the end of that command is what its rollout sees. */
export async function leaveRollouts(
  transaction: Transaction<Tables>,
  {
    accountId,
    deviceId,
    now,
  }: { readonly accountId: string; readonly deviceId: string; readonly now: number },
): Promise<void> {
  await transaction
    .updateTable("rollout_devices")
    .set({ state: "cancelled", updated_at: now })
    .where("device_id", "=", deviceId)
    .where("state", "=", "waiting")
    .where("rollout_id", "in", ({ selectFrom }) =>
      selectFrom("rollouts").select("rollouts.id").where("account_id", "=", accountId).where(IS_UNDER_WAY),
    )
    .execute();
}
