/**
 * Who an identity of OpenID Connect is on this hub (docs/spec/hub-api.md#sign-in): members that it has become before, by issuer
 * and subject, and members who were invited by the e-mail address that its server has verified.
 */
import { sql, type Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Role } from "../../protocol/hub/answers/team.js";
import type { HubContext } from "../context.js";
import type { Database, Tables } from "../database/schema.js";
import { lockAccount, retriedTransaction } from "../database/transactions.js";
import type { NewSession, Sessions } from "../teams/sessions.js";
import type { Identity } from "./sign-in-cookies.js";

/** Members to choose from. Those that the identity is already come first: anyone with an account may invite anyone. */
const CHOICES_LIMIT = 20;

/** A member whom the identity is, or may become. */
export interface Choice {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly role: Role;
  /** Whether the identity has not signed in as this member yet. */
  readonly isInvited: boolean;
}

export interface SignedIn extends NewSession {
  readonly sessionId: string;
  readonly member: Choice;
}

interface SignInsOptions extends Pick<HubContext, "database"> {
  readonly sessions: Sessions;
}

export class SignIns {
  readonly #options: SignInsOptions;

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  choices(identity: Identity): Promise<readonly Choice[]> {
    return choicesOf(this.#options.database, identity);
  }

  /**
   * Begins a session of a member. The identity is the member from then on, whatever address its server tells later.
   * @throws {Fault} `member_not_found` unless the identity may be this member; `sign_in_expired` if the sign-in was used
   */
  enter(identity: Identity, { id, account_id }: Pick<Choice, "id" | "account_id">): Promise<SignedIn> {
    const { database, sessions } = this.#options;
    return retriedTransaction(database, async (transaction) => {
      await lockAccount(transaction, account_id);
      const member = (await choicesOf(transaction, identity)).find((choice) => choice.id === id);
      if (!member) throw new Fault("member_not_found", "You are no longer a member of this account");
      if (member.isInvited) await bind(transaction, identity, id);
      return { ...(await sessions.begin(transaction, identity.id, id)), sessionId: identity.id, member };
    });
  }
}

async function choicesOf(database: Database, identity: Identity): Promise<readonly Choice[]> {
  const { issuer, subject, email = null } = identity;
  const rows = await database
    .selectFrom("account_tokens")
    .innerJoin("accounts", "accounts.id", "account_tokens.account_id")
    .select(["account_tokens.id", "account_id", "name", "role", "issuer"])
    .where("kind", "=", "member")
    .where("accounts.revoked_at", "is", null)
    .where((row) =>
      row.or([
        row.and([row("issuer", "=", issuer), row("subject", "=", subject)]),
        row.and([row("email", "=", email), row("subject", "is", null)]),
      ]),
    )
    .orderBy(sql`issuer is null`)
    .orderBy("account_tokens.created_at")
    .orderBy("account_tokens.id")
    .limit(CHOICES_LIMIT)
    .execute();
  const known = new Set(rows.filter((row) => row.issuer !== null).map(({ account_id }) => account_id));
  return rows.flatMap(({ role, issuer: bound, ...member }) => {
    const isInvited = bound === null;
    // An account has an identity once.
    if (role === null || (isInvited && known.has(member.account_id))) return [];
    return [{ ...member, role, isInvited }];
  });
}

async function bind(
  transaction: Transaction<Tables>,
  { issuer, subject }: Identity,
  memberId: string,
): Promise<void> {
  await transaction
    .updateTable("account_tokens")
    .set({ issuer, subject })
    .where("id", "=", memberId)
    .where("subject", "is", null)
    .execute();
}
