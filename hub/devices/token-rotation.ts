/**
 * Rotates a device's token (docs/spec/device-hub.md#token-rotation). The device makes the new token; both tokens are
 * valid until the device first connects with the new one, which ends the old one. Until then the hub sends
 * `token.rotate` on every connection.
 *
 * The hub also rotates the token of a console that an account gives back, since its former owner may know it. A console
 * that supports rotation (it has sent `device.apps`, which older firmware never does) has no claim code until it has
 * rotated. This prevents takeover by registering with the old token and reading the code. The rule outlives the
 * console's record: see former-tokens.ts.
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
  /** The rotation whose acceptance the device may be waiting for. */
  readonly rotationId: string | null;
}

/**
 * Makes the new token, with which the device has connected, the only one.
 * @returns `undefined` where the token belongs to no device
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
