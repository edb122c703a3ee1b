/**
 * Stores events for the webhooks that want them, inside the transaction that changes what they tell: an event is stored
 * with its change or not at all, and a process that dies loses none. Call it last in a transaction, since it locks rows
 * of webhooks. A hub without webhooks pays one statement.
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { EventType } from "../../protocol/hub/answers/webhooks.js";
import type { ChangedCommand } from "../commands/command-rows.js";
import type { Database, NewRow, Row } from "../database/schema.js";
import { inPieces } from "../database/transactions.js";
import { WEBHOOK_WAIT_LIMIT_MS } from "./delivery-state.js";
import type { TEST_EVENT } from "./event-types.js";
import { commandData, commandEvent, eventBody, type HubEvent, readEvents } from "./events.js";

/** Pending deliveries of an account, over all its webhooks (docs/spec/hub-api.md#webhook-queue). */
const QUEUE_LIMIT = 10_000;

type NewDelivery = NewRow<"webhook_deliveries">;

/** @param now milliseconds since 1970 */
export async function recordEvents(
  database: Database,
  events: readonly HubEvent[],
  now: number,
): Promise<void> {
  if (events.length === 0 || !(await hasWebhooks(database))) return;
  const hooks = await webhooksOf(database, new Set(events.map(({ accountId }) => accountId)));
  const deliveries = events.flatMap(({ accountId, type, data }) =>
    (hooks.get(accountId) ?? [])
      .filter(({ types }) => types.includes(type))
      .map(({ id }) => newDelivery({ id, account_id: accountId }, type, eventBody(type, now, data), now)),
  );
  if (deliveries.length > 0) await store(database, deliveries, now);
}

/** Stores the events of commands that have ended, for the accounts that hold their consoles. */
export async function recordEnded(
  database: Database,
  commands: readonly ChangedCommand[],
  now: number,
): Promise<void> {
  const ended = commands.flatMap((command) => {
    const type = commandEvent(command);
    return type === undefined ? [] : [{ command, type }];
  });
  if (ended.length === 0 || !(await hasWebhooks(database))) return;
  const accounts = await accountsOf(database, new Set(ended.map(({ command }) => command.device_id)));
  const events = ended.flatMap(({ command, type }): HubEvent[] => {
    const accountId = accounts.get(command.device_id);
    return accountId === undefined ? [] : [{ accountId, type, data: commandData(command) }];
  });
  await recordEvents(database, events, now);
}

export function newDelivery(
  webhook: Pick<Row<"webhooks">, "id" | "account_id">,
  event: EventType | typeof TEST_EVENT,
  body: string,
  now: number,
): NewDelivery {
  return {
    id: `msg_${randomUUID()}`,
    webhook_id: webhook.id,
    account_id: webhook.account_id,
    event,
    body,
    state: "pending",
    attempts: 0,
    next_at: now,
    status: null,
    error: null,
    created_at: now,
    updated_at: now,
  };
}

/** Avoids the other statements on the many hubs that have none. */
async function hasWebhooks(database: Database): Promise<boolean> {
  const any = await database
    .selectFrom("webhooks")
    .select("id")
    .where("disabled_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return any !== undefined;
}

interface Subscription {
  readonly id: string;
  readonly types: readonly EventType[];
}

async function webhooksOf(
  database: Database,
  accountIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Subscription[]>> {
  const found = new Map<string, Subscription[]>();
  for (const piece of inPieces([...accountIds]))
    for (const { id, account_id, events } of await database
      .selectFrom("webhooks")
      .select(["id", "account_id", "events"])
      .where("account_id", "in", piece)
      .where("disabled_at", "is", null)
      .execute())
      found.set(account_id, [...(found.get(account_id) ?? []), { id, types: readEvents(events) }]);
  return found;
}

/** The accounts that hold these devices, by the devices' ids. */
async function accountsOf(
  database: Database,
  deviceIds: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const piece of inPieces([...deviceIds]))
    for (const { id, account_id } of await database
      .selectFrom("devices")
      .select(["id", "account_id"])
      .where("id", "in", piece)
      .execute())
      if (account_id !== null) found.set(id, account_id);
  return found;
}

async function store(database: Database, deliveries: readonly NewDelivery[], now: number): Promise<void> {
  const room = new Map<string, number>();
  const kept: NewDelivery[] = [];
  const dropped = new Map<string, number>();
  for (const delivery of deliveries) {
    const { account_id, webhook_id } = delivery;
    const left = room.get(account_id) ?? (await roomOf(database, account_id));
    room.set(account_id, left - 1);
    if (left > 0) kept.push(delivery);
    else dropped.set(webhook_id, (dropped.get(webhook_id) ?? 0) + 1);
  }
  for (const piece of inPieces(kept)) await database.insertInto("webhook_deliveries").values(piece).execute();
  await wake(database, new Set(kept.map(({ webhook_id }) => webhook_id)), now);
  for (const [id, count] of [...dropped].sort())
    await database
      .updateTable("webhooks")
      .set((row) => ({ dropped: row("dropped", "+", count) }))
      .where("id", "=", id)
      .execute();
}

async function roomOf(database: Database, accountId: string): Promise<number> {
  const { rows } = await sql<{ readonly queued: number }>`
    select count(*) as queued from (select 1 from webhook_deliveries
      where account_id = ${accountId} and state = 'pending' limit ${QUEUE_LIMIT}) as queue`.execute(database);
  return QUEUE_LIMIT - Number(rows[0]?.queued ?? 0);
}

/**
 * Makes the webhooks due: now, or within some minutes after a failure. Writes the rows even if they are due already: the end of a
 * turn (webhook-turns.ts) must wait for this transaction, or it would miss the new deliveries.
 */
async function wake(database: Database, webhookIds: ReadonlySet<string>, now: number): Promise<void> {
  const latest = sql<number>`cast(${now} as bigint) + case when failures > 0 then ${sql.lit(WEBHOOK_WAIT_LIMIT_MS)} else 0 end`;
  for (const id of [...webhookIds].sort()) // in this order everywhere, which prevents deadlocks
    await database
      .updateTable("webhooks")
      .set({ due_at: sql<number>`case when due_at < ${latest} then due_at else ${latest} end` })
      .where("id", "=", id)
      .execute();
}
