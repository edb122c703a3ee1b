/**
 * Statements of a webhook's turns. A process takes a turn by a lease in the webhook's row, which no other process takes
 * before it ends: so each attempt is made once, and a process that dies delays its webhooks by the rest of the lease. Turns go
 * to the webhook that has waited longest, so that one with thousands of deliveries delays the others by one turn.
 */
import { randomUUID } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { PENDING } from "../commands/command-rows.js";
import type { HubContext } from "../context.js";
import type { Database, Row, Tables } from "../database/schema.js";
import { retriedTransaction } from "../database/transactions.js";
import { afterAttempt, afterTurn, type CompletedAttempt, turnWaitMs } from "./delivery-state.js";

/** More than an attempt takes, with the statements around it. */
const LEASE_MS = 30_000;

/** Deliveries of one turn, which are sent at the same time. */
const DELIVERIES_PER_TURN = 16;

/** Ended deliveries that are kept of a webhook (docs/spec/hub-api.md#webhook-deliveries). */
const ENDED_LIMIT = 1000;

type Context = Pick<HubContext, "database" | "dialect" | "now">;

export interface Turn {
  readonly webhook: Row<"webhooks">;
  readonly leaseId: string;
  readonly deliveries: readonly Row<"webhook_deliveries">[];
}

/**
 * Takes the turns that are due.
 * @param isFailing of webhooks whose last turn failed, or of the others
 * @param limit turns at most
 */
export async function takeTurns(
  { database, dialect, now }: Context,
  isFailing: boolean,
  limit: number,
): Promise<readonly Turn[]> {
  const at = now();
  const due = (from: Database) =>
    from
      .selectFrom("webhooks")
      .select("id")
      .where("disabled_at", "is", null)
      .where("due_at", "<=", at)
      .where("failures", isFailing ? ">" : "=", 0)
      .where((row) => row.or([row("lease_until", "is", null), row("lease_until", "<=", at)]))
      .orderBy("due_at")
      .limit(limit);
  const found = await due(database).executeTakeFirst(); // usually there is none, and no write lock is needed
  if (!found) return [];
  const leaseId = randomUUID();
  const webhooks = await retriedTransaction(database, async (transaction) => {
    const ids = await due(transaction)
      .$if(dialect === "postgres", (query) => query.forUpdate().skipLocked()) // SQLite has one writer anyway
      .execute();
    if (ids.length === 0) return [];
    return transaction
      .updateTable("webhooks")
      .set({ lease_id: leaseId, lease_until: at + LEASE_MS })
      .where(
        "id",
        "in",
        ids.map(({ id }) => id),
      )
      .returningAll()
      .execute();
  });
  return Promise.all(
    webhooks.map(async (webhook) => ({ webhook, leaseId, deliveries: await dueOf(database, webhook, at) })),
  );
}

function dueOf(database: Database, { id, failures }: Row<"webhooks">, at: number) {
  return database
    .selectFrom("webhook_deliveries")
    .selectAll()
    .where("webhook_id", "=", id)
    .where("state", "=", PENDING)
    .where("next_at", "<=", at)
    .orderBy("next_at")
    .limit(failures > 0 ? 1 : DELIVERIES_PER_TURN)
    .execute();
}

export interface TurnResult {
  readonly delivery: Row<"webhook_deliveries">;
  readonly attempt: CompletedAttempt;
}

/**
 * Stores the results of a turn, and ends its lease.
 * @returns whether this has disabled the webhook
 */
export async function endTurn(
  { database, dialect, now }: Context,
  { webhook: { id }, leaseId }: Turn,
  results: readonly TurnResult[],
): Promise<boolean> {
  return retriedTransaction(database, async (transaction) => {
    const webhook = await transaction
      .selectFrom("webhooks")
      .selectAll()
      .where("id", "=", id)
      .where("lease_id", "=", leaseId) // else another process has the turn, or the webhook was deleted
      .$if(dialect === "postgres", (query) => query.forUpdate()) // deliveries that are being added are seen below
      .executeTakeFirst();
    if (!webhook) return false;
    const at = now();
    for (const { delivery, attempt } of results)
      await transaction
        .updateTable("webhook_deliveries")
        .set({ ...afterAttempt(delivery, attempt, at, Math.random()), updated_at: at })
        .where("id", "=", delivery.id)
        .where("state", "=", PENDING)
        .execute();
    const attempts = results.map(({ attempt }) => attempt);
    const { failures, failing_since, disabled_at } =
      attempts.length > 0 ? afterTurn(webhook, attempts, at) : webhook;
    if (disabled_at !== null) await failPending(transaction, id, at);
    const earliest = attempts.length > 0 ? at + turnWaitMs(failures, Math.random()) : at;
    const due_at = await nextTurnAt(transaction, id, earliest);
    await transaction
      .updateTable("webhooks")
      .set({ failures, failing_since, disabled_at, due_at, lease_id: null, lease_until: null })
      .where("id", "=", id)
      .execute();
    await deleteEnded(transaction, id);
    if (disabled_at !== null) await auditDisabled(transaction, webhook, at);
    return disabled_at !== null;
  });
}

/** @returns `null` if nothing is pending */
async function nextTurnAt(
  transaction: Transaction<Tables>,
  webhookId: string,
  earliest: number,
): Promise<number | null> {
  const next = await transaction
    .selectFrom("webhook_deliveries")
    .select("next_at")
    .where("webhook_id", "=", webhookId)
    .where("state", "=", PENDING)
    .orderBy("next_at")
    .limit(1)
    .executeTakeFirst();
  return next ? Math.max(next.next_at, earliest) : null;
}

async function failPending(transaction: Transaction<Tables>, webhookId: string, at: number): Promise<void> {
  await transaction
    .updateTable("webhook_deliveries")
    .set({ state: "failed", error: "webhook_disabled", updated_at: at })
    .where("webhook_id", "=", webhookId)
    .where("state", "=", PENDING)
    .execute();
}

async function deleteEnded(transaction: Transaction<Tables>, webhookId: string): Promise<void> {
  await sql`
    delete from webhook_deliveries where webhook_id = ${webhookId} and state <> 'pending' and position <= (
      select position from webhook_deliveries where webhook_id = ${webhookId} and state <> 'pending'
      order by position desc limit 1 offset ${ENDED_LIMIT})`.execute(transaction);
}

async function auditDisabled(
  transaction: Transaction<Tables>,
  { id, account_id }: Row<"webhooks">,
  at: number,
): Promise<void> {
  await transaction
    .insertInto("audit")
    .values({
      account_id,
      at,
      actor: "hub",
      actor_id: null,
      actor_name: null,
      action: "disable webhook",
      names: JSON.stringify({ webhook_id: id }),
      address: "",
      status: 200,
    })
    .execute();
}

/** Deletes deliveries that are older than `before`, at most `limit`: those of deleted webhooks, too. */
export async function deleteOldDeliveries(database: Database, before: number, limit: number): Promise<void> {
  const old = database
    .selectFrom("webhook_deliveries")
    .select("position")
    .where("created_at", "<=", before)
    .orderBy("created_at")
    .limit(limit);
  await database.deleteFrom("webhook_deliveries").where("position", "in", old).execute();
}
