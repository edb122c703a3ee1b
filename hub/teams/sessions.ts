/**
 * Sessions of members who have signed in (docs/spec/hub-api.md#sessions): each has a token that ends by itself. What the token
 * allows is the member's role at the time of each request.
 */
import { sql, type Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { makeSessionToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";
import type { Database, Row, Tables } from "../database/schema.js";

/** A working day: who has left is out on the next one, also where no owner removes them. */
const SESSION_MS = 12 * 3_600_000;

/** Of a member: more ends the oldest. */
const SESSIONS_LIMIT = 10;

/**
 * The row of a session stays as long as the sign-in that has begun it could be used again (see oidc/sign-in-cookies.ts), so that
 * it cannot.
 */
export const SIGN_IN_MS = 10 * 60_000;

export interface NewSession {
  /** Not stored: it cannot be shown again. */
  readonly token: string;
  readonly expiresAt: number;
}

export type SessionRow = Pick<Row<"member_sessions">, "id" | "created_at" | "expires_at">;

export class Sessions {
  readonly #context: Pick<HubContext, "database" | "hasher" | "now">;

  constructor(context: Pick<HubContext, "database" | "hasher" | "now">) {
    this.#context = context;
  }

  /**
   * Begins a session, in the transaction that has checked the member.
   * @param id of the sign-in: it begins one session
   * @throws {Fault} `sign_in_expired` if it has begun one already
   */
  async begin(transaction: Transaction<Tables>, id: string, memberId: string): Promise<NewSession> {
    const { hasher, now } = this.#context;
    const token = makeSessionToken();
    const created_at = now();
    const expires_at = created_at + SESSION_MS;
    const begun = await transaction
      .insertInto("member_sessions")
      .values({ id, member_id: memberId, token_hash: hasher.hash(token), created_at, expires_at })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!begun) throw new Fault("sign_in_expired", "This sign-in was used already: sign in again");
    const newest = liveSessions(transaction, memberId, created_at)
      .select("id")
      .orderBy("created_at", "desc")
      .orderBy("id")
      .limit(SESSIONS_LIMIT);
    await this.#end(transaction, memberId, (query) => query.where("id", "not in", newest));
    return { token, expiresAt: expires_at };
  }

  /** Newest first. */
  list(memberId: string): Promise<readonly SessionRow[]> {
    const { database, now } = this.#context;
    return liveSessions(database, memberId, now())
      .select(["id", "created_at", "expires_at"])
      .orderBy("created_at", "desc")
      .orderBy("id")
      .execute();
  }

  async end(memberId: string, sessionId: string): Promise<void> {
    await this.#end(this.#context.database, memberId, (query) => query.where("id", "=", sessionId));
  }

  /** @param database also the transaction of a change that ends them */
  async endAll(memberId: string, database: Database = this.#context.database): Promise<void> {
    await this.#end(database, memberId, (query) => query);
  }

  async #end(
    database: Database,
    memberId: string,
    chosen: (query: ReturnType<typeof ending>) => ReturnType<typeof ending>,
  ): Promise<void> {
    await chosen(ending(database, memberId, this.#context.now())).execute();
  }
}

function liveSessions(database: Database, memberId: string, now: number) {
  return database
    .selectFrom("member_sessions")
    .where("member_id", "=", memberId)
    .where("token_hash", "is not", null)
    .where("expires_at", ">", now);
}

function ending(database: Database, memberId: string, now: number) {
  const until = now + SIGN_IN_MS;
  return database
    .updateTable("member_sessions")
    .set({
      token_hash: null,
      expires_at: sql<number>`case when expires_at < ${until} then expires_at else cast(${until} as bigint) end`,
    })
    .where("member_id", "=", memberId)
    .where("token_hash", "is not", null);
}

/** Deletes sessions that ended before `before`, at most `limit`. */
export async function deleteOldSessions(database: Database, before: number, limit: number): Promise<void> {
  const old = database
    .selectFrom("member_sessions")
    .select("id")
    .where("expires_at", "<=", before)
    .orderBy("expires_at")
    .limit(limit);
  await database.deleteFrom("member_sessions").where("id", "in", old).execute();
}
