/**
 * Groups: filters of consoles that an account has named (docs/spec/hub-api.md#groups). Which consoles are in a group
 * is decided when it is used. A tag is a group's simplest filter.
 */
import { randomUUID } from "node:crypto";
import type { Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { HubContext } from "../context.js";
import type { Row, Tables } from "../database/schema.js";
import { lockAccount, retriedTransaction } from "../database/transactions.js";
import type { DeviceFilter } from "./device-filter.js";

/** Of an account. */
const GROUPS_LIMIT = 100;

export class Groups {
  readonly #context: Pick<HubContext, "database" | "dialect" | "now">;

  constructor(context: Pick<HubContext, "database" | "dialect" | "now">) {
    this.#context = context;
  }

  /** @throws {Fault} `too_many_groups` */
  async add(accountId: string, name: string, filter: DeviceFilter): Promise<Row<"device_groups">> {
    const { database, now } = this.#context;
    const row: Row<"device_groups"> = {
      id: randomUUID(),
      account_id: accountId,
      name,
      filter: JSON.stringify(filter),
      created_at: now(),
    };
    await retriedTransaction(database, async (transaction) => {
      await this.#requireBelowLimit(transaction, accountId);
      await transaction.insertInto("device_groups").values(row).execute();
    });
    return row;
  }

  /** All groups of the account, sorted by name. */
  async list(accountId: string): Promise<readonly Row<"device_groups">[]> {
    const groups = await this.#context.database
      .selectFrom("device_groups")
      .selectAll()
      .where("account_id", "=", accountId)
      .execute();
    return groups.sort((one, other) => one.name.localeCompare(other.name) || (one.id < other.id ? -1 : 1));
  }

  /** @throws {Fault} `group_not_found`, also for a group of another account */
  async filterOf(accountId: string, groupId: string): Promise<DeviceFilter> {
    const row = await this.#context.database
      .selectFrom("device_groups")
      .select("filter")
      .where("id", "=", groupId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    if (!row) throw groupNotFound(groupId);
    return JSON.parse(row.filter) as DeviceFilter;
  }

  /** @throws {Fault} `group_not_found`, also for a group of another account */
  async remove(accountId: string, groupId: string): Promise<void> {
    const { numDeletedRows } = await this.#context.database
      .deleteFrom("device_groups")
      .where("id", "=", groupId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw groupNotFound(groupId);
  }

  /** Prevents concurrent groups of this account until the transaction ends. */
  async #requireBelowLimit(transaction: Transaction<Tables>, accountId: string): Promise<void> {
    await lockAccount(transaction, accountId);
    const { count } = await transaction
      .selectFrom("device_groups")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= GROUPS_LIMIT)
      throw new Fault("too_many_groups", `An account can have at most ${GROUPS_LIMIT} groups`);
  }
}

function groupNotFound(groupId: string): Fault {
  return new Fault("group_not_found", `The account has no group "${groupId}"`);
}
