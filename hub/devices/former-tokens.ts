/**
 * Tokens that an account may know, of a console that it no longer holds (docs/adr/0026): the console's token when it
 * was released, when its record ended, and when a new one replaced it. A pending next token is not among them: a
 * console that waits for its acceptance sends it again on request. Former tokens outlive the console's record, since
 * the console may still have them.
 *
 * Registering with a former token returns no claim code, and neither does registering its MAC with another token: the
 * hub creates the code once the console has replaced its token over the push channel. A former token never becomes the
 * next token of a console, or the token of another MAC; otherwise its former account could hold the record to which the
 * console connects.
 *
 * A console that has never sent `device.apps` may not know `token.rotate`: its tokens are not stored here.
 */
import { randomUUID } from "node:crypto";
import { type Expression, type SqlBool, sql } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { makeClaimCode } from "../auth/tokens.js";
import type { Database, Dialect, Row } from "../database/schema.js";
import { dialectOf, isOneOf, retriedTransaction } from "../database/transactions.js";

/** Whether the device must replace its token before an account can claim it. */
export function mustRotate({
  account_id,
  claim_code,
}: Pick<Row<"devices">, "account_id" | "claim_code">): boolean {
  return account_id === null && claim_code === null;
}

/**
 * Call it in the transaction that releases the device from its account, or that replaces its token.
 * @param device as it was before
 */
export async function recordFormerToken(
  transaction: Database,
  device: Pick<Row<"devices">, "apps" | "mac" | "token_hash">,
): Promise<void> {
  const { apps, mac, token_hash } = device;
  if (apps === null) return;
  await transaction
    .insertInto("former_tokens")
    .values({ token_hash, mac })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function tokenBound(mac: string): Fault {
  return new Fault("token_bound", `Cannot register ${mac}: the token is bound to another MAC`);
}

/**
 * Makes others that give the same token to a device wait until this transaction ends: neither of two on PostgreSQL would see that
 * the other has given it, one as a present and one as a next token. Call it before the transaction looks.
 */
export async function lockToken(transaction: Database, tokenHash: string): Promise<void> {
  if (dialectOf(transaction) === "sqlite") return; // which has one writer at a time
  await sql`select pg_advisory_xact_lock(hashtextextended(${tokenHash}, 0))`.execute(transaction);
}

/** Whether a device has the token, not only as its next one. */
export async function isPresentToken(database: Database, tokenHash: string): Promise<boolean> {
  const row = await database
    .selectFrom("devices")
    .select("id")
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return row !== undefined;
}

export async function isFormerToken(database: Database, tokenHash: string): Promise<boolean> {
  const row = await database
    .selectFrom("former_tokens")
    .select("mac")
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Takes the claim code away from a registered device that must replace its token first. Call it in the transaction that
 * wrote the device's row, so that no concurrent request can release it from an account meanwhile.
 * @throws {Fault} `token_bound` for a former token of another MAC, and for the next token of another device
 */
export async function holdBackClaimCode(
  transaction: Database,
  device: Row<"devices">,
): Promise<Row<"devices">> {
  const { id, mac, token_hash } = device;
  const former = (column: "token_hash" | "mac", value: string) =>
    transaction.selectFrom("former_tokens").select("mac").where(column, "=", value).limit(1);
  const next = transaction
    .selectFrom("devices")
    .select("mac")
    .where("next_token_hash", "=", token_hash)
    .limit(1);
  const { bound_to, known, next_of } = await transaction
    .selectNoFrom([
      former("token_hash", token_hash).as("bound_to"),
      former("mac", mac).as("known"),
      next.as("next_of"),
    ])
    .executeTakeFirstOrThrow();
  if ((bound_to !== null && bound_to !== mac) || next_of !== null) throw tokenBound(mac);
  if (known === null) return device;
  return await transaction
    .updateTable("devices")
    .set({ claim_code: null, rotation_id: randomUUID() })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

// Token rotation (docs/spec/device-hub.md#token-rotation). The device creates the new token. Both tokens are valid
// until the device first connects with the new one, which invalidates the old one. Until then the hub sends
// `token.rotate` on every connection.
//
// The hub also rotates the token of a console that an account releases, since that account may know it. A console
// that supports rotation (it has sent `device.apps`) has no claim code until it has rotated. This prevents takeover by registering with the old token and reading the code. The rule outlives the
// console's record: see the top of this file.

/** Matches the device whose present or next token this is. */
export function matchesToken(tokenHash: string): Expression<SqlBool> {
  return sql<SqlBool>`(token_hash = ${tokenHash} or next_token_hash = ${tokenHash})`;
}

/** Matches the devices whose present or next token is one of these. */
export function matchesAnyToken(dialect: Dialect, tokenHashes: readonly string[]): Expression<SqlBool> {
  const present = isOneOf(dialect, "token_hash", tokenHashes);
  return sql<SqlBool>`(${present} or ${isOneOf(dialect, "next_token_hash", tokenHashes)})`;
}

interface Promoted {
  readonly device: Row<"devices">;
  /** The rotation that the device may be waiting for the hub to accept. */
  readonly rotationId: string | null;
}

/**
 * Makes the next token, with which the device has connected, its only token.
 * @returns `undefined` if it is not the next token of a device
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
        token_hash: tokenHash,
        next_token_hash: null,
        rotation_id: null,
        claim_code: sql`case when account_id is null then coalesce(claim_code, ${makeClaimCode()}) end`,
      })
      .where("id", "=", before.id)
      .where("token_hash", "=", before.token_hash)
      .where("next_token_hash", "=", tokenHash)
      .returningAll()
      .executeTakeFirst();
    if (!device) return undefined;
    // The account may have replaced the token itself, and the console may still have it.
    if (device.account_id !== null) await recordFormerToken(transaction, before);
    return { device, rotationId: before.rotation_id };
  });
}
