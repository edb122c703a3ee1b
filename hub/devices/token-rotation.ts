/**
 * How a device's token is replaced (docs/spec/device-hub.md#token-rotation): the device makes the new one, both hold
 * until it comes with the new one for the first time, and from then on the old one is of no use. The hub asks for it
 * with `token.rotate` on every connection until then.
 *
 * A console that an account gives back is asked, too: who held it may know its token. One that can do it (it has sent
 * `device.apps`, which consoles before it never do) has no claim code until it has done it, so that nobody takes it by
 * registering with the old token and reading the code. That outlives its record: see former-tokens.ts.
 */
import { type Expression, type SqlBool, sql } from "kysely";
import { makeClaimCode } from "../accounts/claim-code.js";
import { retriedTransaction } from "../database/retried-transaction.js";
import type { Database, Row } from "../database/schema.js";
import { rememberToken } from "./former-tokens.js";

/** Of the device that has this token, or is to have it. */
export function holdsToken(tokenHash: string): Expression<SqlBool> {
  return sql<SqlBool>`(token_hash = ${tokenHash} or next_token_hash = ${tokenHash})`;
}

export interface Promoted {
  readonly device: Row<"devices">;
  /** Which the device may wait to hear is accepted. */
  readonly rotationId: string | null;
}

/**
 * The device has come with its new token: the old one ends.
 * @returns `undefined` where nobody is to have this token
 */
export async function promoteToken(database: Database, tokenHash: string): Promise<Promoted | undefined> {
  return await retriedTransaction(database, async (transaction) => {
    const before = await transaction
      .selectFrom("devices")
      .selectAll()
      .where("next_token_hash", "=", tokenHash)
      .executeTakeFirst();
    if (!before) return undefined;
    const device = await transaction
      .updateTable("devices")
      .set({
        ...{ token_hash: tokenHash, next_token_hash: null, rotation_id: null },
        claim_code: sql`case when account_id is null then coalesce(claim_code, ${makeClaimCode()}) end`,
      })
      .where("id", "=", before.id)
      .where("token_hash", "=", before.token_hash)
      .where("next_token_hash", "=", tokenHash)
      .returningAll()
      .executeTakeFirst();
    if (!device) return undefined;
    // The account may have replaced it by itself, and the console may have it still.
    if (device.account_id !== null) await rememberToken(transaction, before);
    return { device, rotationId: before.rotation_id };
  });
}
