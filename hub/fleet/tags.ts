/** Tags: labels that an account gives its consoles (docs/spec/hub-api.md#tags). */
import { sql, type Transaction } from "kysely";
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import type { HubContext } from "../context.js";
import type { Database, Tables } from "../database/schema.js";
import { inPieces, retriedTransaction } from "../database/transactions.js";
import { deviceNotFound } from "../devices/device-record.js";

/** Of a console. */
const TAGS_LIMIT = 16;

export const TAG = Type.String({
  pattern: "^[a-z0-9][a-z0-9._-]{0,31}$",
  description: "1 to 32 of `a` to `z`, `0` to `9`, `.`, `_` and `-`; the first one is a letter or a digit.",
});

export const TAG_LIST = Type.Array(TAG, { maxItems: TAGS_LIMIT, description: `At most ${TAGS_LIMIT}.` });

export interface TagChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export class Tags {
  readonly #context: Pick<HubContext, "database" | "dialect">;

  constructor(context: Pick<HubContext, "database" | "dialect">) {
    this.#context = context;
  }

  /**
   * Replaces the tags of a console.
   * @returns them without duplicates, sorted
   * @throws {Fault} `device_not_found`
   */
  async set(accountId: string, deviceId: string, tags: readonly string[]): Promise<readonly string[]> {
    const wanted = [...new Set(tags)].sort();
    await this.#locked(accountId, [deviceId], async (transaction, held) => {
      if (held.length === 0) throw deviceNotFound(deviceId);
      await transaction
        .deleteFrom("device_tags")
        .where("device_id", "=", deviceId)
        .where("account_id", "=", accountId)
        .execute();
      await insert(transaction, accountId, [deviceId], wanted);
    });
    return wanted;
  }

  /**
   * Adds and removes tags of consoles. Ignores consoles that the account does not hold.
   * @returns ids of the consoles that would have more than {@link TAGS_LIMIT} tags, and that keep theirs
   */
  change(
    accountId: string,
    deviceIds: readonly string[],
    { add, remove }: TagChange,
  ): Promise<readonly string[]> {
    return this.#locked(accountId, deviceIds, async (transaction, held) => {
      const full = add.length === 0 ? [] : await overfull(transaction, accountId, held, { add, remove });
      const changed = held.filter((id) => !full.includes(id));
      for (const piece of remove.length === 0 ? [] : inPieces(changed))
        await transaction
          .deleteFrom("device_tags")
          .where("account_id", "=", accountId)
          .where("tag", "in", remove)
          .where("device_id", "in", piece)
          .execute();
      await insert(transaction, accountId, changed, add);
      return full;
    });
  }

  /** The tags of these consoles, sorted. */
  async of(accountId: string, deviceIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    return tagsOf(this.#context.database, accountId, deviceIds);
  }

  /** Prevents other changes of these consoles' tags until the transaction ends. */
  #locked<Result>(
    accountId: string,
    deviceIds: readonly string[],
    work: (transaction: Transaction<Tables>, held: readonly string[]) => Promise<Result>,
  ): Promise<Result> {
    const { database, dialect } = this.#context;
    return retriedTransaction(database, async (transaction) => {
      const held: string[] = [];
      // All writers to several devices lock them in this order, which prevents deadlocks.
      for (const piece of inPieces([...new Set(deviceIds)].sort()))
        for (const { id } of await transaction
          .selectFrom("devices")
          .select("id")
          .where("id", "in", piece)
          .where("account_id", "=", accountId)
          .orderBy("id")
          .$if(dialect === "postgres", (query) => query.forNoKeyUpdate()) // SQLite has one writer anyway
          .execute())
          held.push(id);
      return work(transaction, held);
    });
  }
}

/** Removes the tags of a console that its account no longer holds. */
export async function removeTags(transaction: Database, deviceId: string): Promise<void> {
  await transaction.deleteFrom("device_tags").where("device_id", "=", deviceId).execute();
}

async function insert(
  database: Database,
  accountId: string,
  deviceIds: readonly string[],
  tags: readonly string[],
): Promise<void> {
  const rows = deviceIds.flatMap((device_id) =>
    tags.map((tag) => ({ account_id: accountId, tag, device_id })),
  );
  for (const piece of inPieces(rows))
    await database
      .insertInto("device_tags")
      .values(piece)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

async function overfull(
  database: Database,
  accountId: string,
  deviceIds: readonly string[],
  { add, remove }: TagChange,
): Promise<readonly string[]> {
  const present = await tagsOf(database, accountId, deviceIds);
  return deviceIds.filter((id) => {
    const kept = (present.get(id) ?? []).filter((tag) => !remove.includes(tag));
    return new Set([...kept, ...add]).size > TAGS_LIMIT;
  });
}

async function tagsOf(
  database: Database,
  accountId: string,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const tags = new Map<string, string[]>();
  for (const piece of inPieces(deviceIds))
    for (const { device_id, tag } of await database
      .selectFrom("device_tags")
      .select(["device_id", "tag"])
      .where("device_id", "in", piece)
      .where("account_id", "=", accountId)
      .orderBy(sql`tag`)
      .execute())
      if (!tags.get(device_id)?.push(tag)) tags.set(device_id, [tag]);
  return tags;
}

/** @throws {Fault} `bad_parameter` for a change without tags, or with a tag in both lists */
export function tagChange(add: readonly string[] = [], remove: readonly string[] = []): TagChange {
  if (add.length + remove.length === 0) throw new Fault("bad_parameter", 'Name tags to "add" or to "remove"');
  if (add.some((tag) => remove.includes(tag)))
    throw new Fault("bad_parameter", "A tag cannot be both added and removed");
  return { add: [...new Set(add)], remove };
}
