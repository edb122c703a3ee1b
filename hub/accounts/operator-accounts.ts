/**
 * Accounts as the hub's operator manages them, in the hub's environment (docs/spec/hub-api.md#account-operator): an
 * account whose token is lost would be a fleet that is lost.
 */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import { isoTime } from "../api/answers.js";
import { makeAccountToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";

export interface NewAccountToken {
  readonly account_id: string;
  /** Not stored: it cannot be shown again. */
  readonly account_token: string;
}

export interface AccountEntry {
  readonly account_id: string;
  readonly created_at: string;
  /** The consoles that it holds. */
  readonly consoles: number;
}

export class OperatorAccounts {
  readonly #context: Pick<HubContext, "database" | "hasher" | "now">;

  constructor(context: Pick<HubContext, "database" | "hasher" | "now">) {
    this.#context = context;
  }

  async add(): Promise<NewAccountToken> {
    const { database, hasher, now } = this.#context;
    const [account_id, account_token] = [randomUUID(), makeAccountToken()];
    await database
      .insertInto("accounts")
      .values({ id: account_id, token_hash: hasher.hash(account_token), created_at: now() })
      .execute();
    return { account_id, account_token };
  }

  /** Without accounts that have ended; oldest first. */
  async list(): Promise<readonly AccountEntry[]> {
    const rows = await this.#context.database
      .selectFrom("accounts")
      .leftJoin("devices", "devices.account_id", "accounts.id")
      .select((row) => [
        "accounts.id",
        "accounts.created_at",
        row.fn.count<number>("devices.id").as("consoles"),
      ])
      .where("accounts.revoked_at", "is", null)
      .groupBy(["accounts.id", "accounts.created_at"])
      .orderBy("accounts.created_at")
      .orderBy("accounts.id")
      .execute();
    return rows.map(({ id, created_at, consoles }) => ({
      account_id: id,
      created_at: isoTime(created_at),
      consoles: Number(consoles),
    }));
  }

  /**
   * Replaces an account's token; the previous one is invalid at once.
   * @param which the id of the account, or the id or MAC of a console that it holds
   * @throws {Fault} `account_not_found`
   */
  async renewToken(which: string): Promise<NewAccountToken> {
    const { database, hasher, now } = this.#context;
    const account_token = makeAccountToken();
    const renewed = await database
      .updateTable("accounts")
      .set({ token_hash: hasher.hash(account_token) })
      .where("revoked_at", "is", null)
      .where((account) =>
        account.or([
          account("id", "=", which),
          account("id", "in", ({ selectFrom }) =>
            selectFrom("devices")
              .select("devices.account_id")
              .where("devices.account_id", "is not", null)
              .where((device) =>
                device.or([
                  device("devices.id", "=", which),
                  device("devices.mac", "=", which.toUpperCase()),
                ]),
              ),
          ),
        ]),
      )
      .returning("id")
      .executeTakeFirst();
    if (!renewed)
      throw new Fault("account_not_found", `No account has the id "${which}", or holds a console with it`);
    await database
      .insertInto("audit")
      .values({
        account_id: renewed.id,
        at: now(),
        actor: "operator",
        actor_id: null,
        actor_name: null,
        action: "svc hub account token",
        names: "{}",
        address: "",
        status: 200,
      })
      .execute();
    return { account_id: renewed.id, account_token };
  }
}
