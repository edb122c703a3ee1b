import type { NewRow } from "../../../hub/database/schema.js";

/** The row of a rollout of an app that has begun, without consoles. */
export function begunRollout(id: string, accountId: string): NewRow<"rollouts"> {
  return {
    id,
    account_id: accountId,
    kind: "app",
    subject: "bricks",
    version: "1.0.0",
    steps: "[]",
    step: 0,
    state: "running",
    revision: 0,
    created_at: 0,
    updated_at: 0,
  };
}
