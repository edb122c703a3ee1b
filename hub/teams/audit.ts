/**
 * The audit log of an account (docs/spec/hub-api.md#audit): who did what from where. Each request with a token of the
 * account that is not a mere read is one entry, refused ones included. Entries are written in batches soon after the
 * answer, so that they delay none; those that cannot be written are in the hub's log.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Page } from "../api/answers.js";
import { type NewestRows, newestRows } from "../api/newest-rows.js";
import { clientAddress } from "../auth/client-address.js";
import { Batch } from "../batch.js";
import type { HubContext } from "../context.js";
import type { Database, NewRow } from "../database/schema.js";

const BATCH_LIMIT = 100;
const DELAY_MS = 10;

/** Longest name from a path that is stored: longer than any of our ids. */
const NAME_LIMIT_CHARACTERS = 128;

type Entry = NewRow<"audit">;

export class Audit {
  readonly #context: Pick<HubContext, "config" | "database" | "now">;
  readonly #entries: Batch<Entry>;

  constructor({ logger, ...context }: Pick<HubContext, "config" | "database" | "logger" | "now">) {
    this.#context = context;
    this.#entries = new Batch<Entry>({
      limit: BATCH_LIMIT,
      delayMs: DELAY_MS,
      write: async (entries) => {
        await context.database.insertInto("audit").values(entries).execute();
      },
      onFailed: (entries, error) =>
        logger.error({ err: error, entries }, "cannot store entries of the audit log"),
    });
  }

  /** Records a request that has been answered, if it belongs there. */
  record(request: FastifyRequest, { statusCode: status }: FastifyReply): void {
    const { caller, method } = request;
    if (caller?.kind !== "account" || method === "GET" || method === "HEAD") return;
    const { config, now } = this.#context;
    const path = `${request.routeOptions.url}`.replace(/^\/api\/v1/, "").replaceAll(/:([a-z_]+)/g, "{$1}");
    this.#entries.add({
      account_id: caller.accountId,
      at: now(),
      status,
      action: `${method} ${path}`,
      actor: caller.member?.kind ?? "account",
      actor_id: caller.member?.id ?? null,
      actor_name: caller.member?.name ?? null,
      via: caller.sessionId === undefined ? null : "oidc",
      names: JSON.stringify(namesOf(request.params)),
      address: clientAddress(request.raw, config.trustsProxy),
    });
  }

  /** The account's entries, newest first. */
  list(accountId: string, page: Page): Promise<NewestRows<"audit">> {
    return newestRows(this.#context.database, "audit", { account_id: accountId }, page);
  }

  /** Resolves when all entries are stored, or have failed. */
  close(): Promise<void> {
    return this.#entries.drain();
  }
}

/** The names in the path, bounded: they are the client's. */
function namesOf(parameters: unknown): Record<string, string> {
  const names = Object.entries(parameters as Readonly<Record<string, string>>);
  return Object.fromEntries(names.map(([name, value]) => [name, value.slice(0, NAME_LIMIT_CHARACTERS)]));
}

/** Deletes entries that are older than `before`, at most `limit`. */
export async function deleteOldEntries(database: Database, before: number, limit: number): Promise<void> {
  const old = database
    .selectFrom("audit")
    .select("position")
    .where("at", "<=", before)
    .orderBy("at")
    .limit(limit);
  await database.deleteFrom("audit").where("position", "in", old).execute();
}
