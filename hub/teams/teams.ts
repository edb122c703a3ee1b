/**
 * Members and programs of an account, each with a token of its own: a member has a role, a program scopes and, if wanted,
 * an expiry. The account's own token stays beside them. A row is deleted when its token ends; the audit log keeps the
 * names.
 */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import type { Authentication } from "../auth/authentication.js";
import { makeTeamToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { lockAccount, retriedTransaction } from "../database/transactions.js";
import { ROLE_SCOPES, type Role, type Scope, writeScopes } from "./scopes.js";

/** Members and programs of an account (docs/spec/hub-api.md#team-limit). */
const TOKENS_LIMIT = 100;

const NAME_LIMIT_CHARACTERS = 64;
/** No control characters, and a visible character at both ends. */
const NAME = /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u;

export type TeamRow = Row<"account_tokens">;

export interface NewToken {
  readonly row: TeamRow;
  /** Not stored: it cannot be shown again. */
  readonly token: string;
}

interface NewProgram {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Time until its token becomes invalid; never if it is left out. */
  readonly lifetimeMs?: number | undefined;
}

interface TeamsOptions extends HubContext {
  readonly authentication: Authentication;
}

export class Teams {
  readonly #options: TeamsOptions;

  constructor(options: TeamsOptions) {
    this.#options = options;
  }

  /** @throws {Fault} `bad_parameter` for a name that cannot be shown; `too_many_tokens` */
  addMember(accountId: string, name: string, role: Role): Promise<NewToken> {
    return this.#add(accountId, { kind: "member", name, role, scopes: writeScopes(ROLE_SCOPES[role]) });
  }

  /**
   * @throws {Fault} `bad_parameter` for a name that cannot be shown; `too_many_tokens`
   */
  addProgram(accountId: string, { name, scopes, lifetimeMs }: NewProgram): Promise<NewToken> {
    const row = { kind: "program", name, role: null, scopes: writeScopes(scopes) } as const;
    return this.#add(accountId, row, lifetimeMs);
  }

  /** In a stable order. */
  list(accountId: string, kind: TeamRow["kind"]): Promise<readonly TeamRow[]> {
    return this.#options.database
      .selectFrom("account_tokens")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("kind", "=", kind)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
  }

  /** Omitted fields stay unchanged. @throws {Fault} `member_not_found`, `bad_parameter` */
  async changeMember(
    accountId: string,
    memberId: string,
    { name, role }: { readonly name?: string | undefined; readonly role?: Role | undefined },
  ): Promise<TeamRow> {
    if (name !== undefined) requireName(name);
    const set = {
      ...(name !== undefined && { name }),
      ...(role !== undefined && { role, scopes: writeScopes(ROLE_SCOPES[role]) }),
    };
    if (Object.keys(set).length === 0)
      throw new Fault("bad_parameter", 'Cannot change a member without "name" or "role"');
    return this.#change(accountId, "member", memberId, set);
  }

  /** Replaces a member's token; the previous one is invalid at once. @throws {Fault} `member_not_found` */
  async renew(accountId: string, memberId: string): Promise<NewToken> {
    const token = makeTeamToken();
    const token_hash = this.#options.hasher.hash(token);
    return { row: await this.#change(accountId, "member", memberId, { token_hash }), token };
  }

  /** Invalidates a token at once. @throws {Fault} `member_not_found`, `token_not_found` */
  async remove(accountId: string, kind: TeamRow["kind"], id: string): Promise<void> {
    const { authentication, database } = this.#options;
    const removed = await database
      .deleteFrom("account_tokens")
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .where("kind", "=", kind)
      .returning("id")
      .executeTakeFirst();
    authentication.clearCache();
    if (!removed) throw notFound(kind, id);
  }

  async #add(
    accountId: string,
    values: Pick<TeamRow, "kind" | "name" | "role" | "scopes">,
    lifetimeMs?: number,
  ): Promise<NewToken> {
    requireName(values.name);
    const { database, hasher, now } = this.#options;
    const token = makeTeamToken();
    const created_at = now();
    const row = {
      ...{ id: randomUUID(), account_id: accountId, ...values, token_hash: hasher.hash(token) },
      ...{ created_at, expires_at: lifetimeMs === undefined ? null : created_at + lifetimeMs },
    };
    await retriedTransaction(database, async (transaction) => {
      await lockAccount(transaction, accountId);
      const { count } = await transaction
        .selectFrom("account_tokens")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("account_id", "=", accountId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= TOKENS_LIMIT)
        throw new Fault("too_many_tokens", `An account has at most ${TOKENS_LIMIT} members and programs`);
      await transaction.insertInto("account_tokens").values(row).execute();
    });
    return { row, token };
  }

  async #change(
    accountId: string,
    kind: TeamRow["kind"],
    id: string,
    set: Partial<Pick<TeamRow, "name" | "role" | "scopes" | "token_hash">>,
  ): Promise<TeamRow> {
    const { authentication, database } = this.#options;
    const row = await database
      .updateTable("account_tokens")
      .set(set)
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .where("kind", "=", kind)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw notFound(kind, id);
    authentication.clearCache();
    return row;
  }
}

function notFound(kind: TeamRow["kind"], id: string): Fault {
  return kind === "member"
    ? new Fault("member_not_found", `The account has no member "${id}"`)
    : new Fault("token_not_found", `The account has no token "${id}"`);
}

/** @throws {Fault} `bad_parameter` for a name that cannot be shown */
export function requireName(name: string): void {
  if ([...name].length <= NAME_LIMIT_CHARACTERS && NAME.test(name)) return;
  throw new Fault(
    "bad_parameter",
    `"name" must have 1 to ${NAME_LIMIT_CHARACTERS} characters, none of them a control character, and no space at its ends`,
  );
}
