/**
 * Members and programs of an account, each with a token of its own: a member has a role, a program scopes and, if wanted,
 * an expiry. A member who was invited by e-mail has none, and signs in (hub/oidc). The account's own token stays beside them. A row is deleted when its token ends; the audit log keeps the
 * names.
 */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import type { Role, Scope } from "../../protocol/hub/answers/team.js";
import type { Authentication } from "../auth/authentication.js";
import { makeTeamToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";
import type { Database, Row } from "../database/schema.js";
import { lockAccount, retriedTransaction } from "../database/transactions.js";
import { requireEmail } from "./email.js";
import { ROLE_SCOPES, writeScopes } from "./scopes.js";
import type { Sessions } from "./sessions.js";

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

interface MemberChange {
  readonly name?: string | undefined;
  readonly role?: Role | undefined;
  /** Another one invites the member anew: the identity that they were is theirs no more. `""`: they cannot sign in. */
  readonly email?: string | undefined;
}

interface AddOptions {
  readonly lifetimeMs?: number | undefined;
  /** Of a member who gets no token. */
  readonly email?: string | null;
}

interface TeamsOptions extends HubContext {
  readonly authentication: Authentication;
  readonly sessions: Sessions;
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
   * Adds a member without a token, whom the first identity with this address becomes that signs in.
   * @throws {Fault} `sign_in_off` on a hub without sign-in; `email_taken`, and as {@link addMember}
   */
  async invite(accountId: string, name: string, role: Role, email: string): Promise<TeamRow> {
    this.#requireSignIn();
    const values = { kind: "member", name, role, scopes: writeScopes(ROLE_SCOPES[role]) } as const;
    return (await this.#add(accountId, values, { email: requireEmail(email) })).row;
  }

  /**
   * @throws {Fault} `bad_parameter` for a name that cannot be shown; `too_many_tokens`
   */
  addProgram(accountId: string, { name, scopes, lifetimeMs }: NewProgram): Promise<NewToken> {
    const row = { kind: "program", name, role: null, scopes: writeScopes(scopes) } as const;
    return this.#add(accountId, row, { lifetimeMs });
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

  /**
   * Omitted fields stay unchanged.
   * @throws {Fault} `member_not_found`, `bad_parameter`; with an address, `sign_in_off` and `email_taken`
   */
  async changeMember(
    accountId: string,
    memberId: string,
    { name, role, email }: MemberChange,
  ): Promise<TeamRow> {
    if (name !== undefined) requireName(name);
    const set = {
      ...(name !== undefined && { name }),
      ...(role !== undefined && { role, scopes: writeScopes(ROLE_SCOPES[role]) }),
    };
    if (email === undefined) {
      if (Object.keys(set).length > 0) return this.#change(accountId, "member", memberId, set);
      throw new Fault("bad_parameter", 'Cannot change a member without "name", "role" or "email"');
    }
    if (email !== "") this.#requireSignIn();
    const address = email === "" ? null : requireEmail(email);
    return retriedTransaction(this.#options.database, async (transaction) => {
      await lockAccount(transaction, accountId);
      const { email: present } = await this.member(accountId, memberId, transaction);
      const change = { ...set, email: address };
      if (address === present) return this.#change(accountId, "member", memberId, change, transaction);
      if (address !== null) await requireFree(transaction, { accountId, email: address, memberId });
      const invited = { ...change, issuer: null, subject: null };
      const row = await this.#change(accountId, "member", memberId, invited, transaction);
      await this.#options.sessions.endAll(memberId, transaction);
      return row;
    });
  }

  /** @throws {Fault} `member_not_found` */
  async member(
    accountId: string,
    memberId: string,
    database: Database = this.#options.database,
  ): Promise<TeamRow> {
    const row = await database
      .selectFrom("account_tokens")
      .selectAll()
      .where("id", "=", memberId)
      .where("account_id", "=", accountId)
      .where("kind", "=", "member")
      .executeTakeFirst();
    if (!row) throw notFound("member", memberId);
    return row;
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

  #requireSignIn(): void {
    if (!this.#options.config.oidc)
      throw new Fault("sign_in_off", "This hub has no sign-in by OpenID Connect: members need tokens");
  }

  async #add(
    accountId: string,
    values: Pick<TeamRow, "kind" | "name" | "role" | "scopes">,
    { lifetimeMs, email = null }: AddOptions = {},
  ): Promise<NewToken> {
    requireName(values.name);
    const { database, hasher, now } = this.#options;
    const token = makeTeamToken();
    const id = randomUUID();
    const created_at = now();
    const row = {
      id,
      account_id: accountId,
      ...values,
      email,
      issuer: null,
      subject: null,
      token_hash: email === null ? hasher.hash(token) : `invited ${id}`,
      created_at,
      expires_at: lifetimeMs === undefined ? null : created_at + lifetimeMs,
    };
    await retriedTransaction(database, async (transaction) => {
      await lockAccount(transaction, accountId);
      if (email !== null) await requireFree(transaction, { accountId, email });
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
    set: Partial<Omit<TeamRow, "id" | "account_id" | "kind" | "created_at">>,
    database: Database = this.#options.database,
  ): Promise<TeamRow> {
    const { authentication } = this.#options;
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

/** @throws {Fault} `email_taken` */
async function requireFree(
  transaction: Database,
  { accountId, email, memberId = "" }: Readonly<{ accountId: string; email: string; memberId?: string }>,
): Promise<void> {
  const other = await transaction
    .selectFrom("account_tokens")
    .select("id")
    .where("account_id", "=", accountId)
    .where("email", "=", email)
    .where("id", "<>", memberId)
    .executeTakeFirst();
  if (other) throw new Fault("email_taken", `Another member of the account has the address "${email}"`);
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
