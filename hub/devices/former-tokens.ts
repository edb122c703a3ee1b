/**
 * Tokens that an account may know of a console that it holds no more (docs/adr/0026): those that the console had when
 * it was given back, when its record ended, and when a new one took their place. One that was to come next is none of them: a
 * console that waits to hear that it is accepted says it again when it is asked. They stay known when their
 * record is gone, since the console may have them still.
 *
 * Registering with one brings no claim code, and neither does registering its MAC with another token: a code is made once the
 * console has replaced its token over the push channel. It never becomes the next token of a console, or a token of
 * another MAC, by which its account could hold the record that the console connects to.
 *
 * A console that has never sent `device.apps` is of 0.1.0 and replaces no token: its tokens are not among these.
 */
import { randomUUID } from "node:crypto";
import { Fault } from "../../protocol/fault.js";
import { makeClaimCode } from "../accounts/claim-code.js";
import type { Database, Row } from "../database/schema.js";

/** Whether the device's token has to be replaced before an account can take the device. */
export function owesRotation({
  account_id,
  claim_code,
}: Pick<Row<"devices">, "account_id" | "claim_code">): boolean {
  return account_id === null && claim_code === null;
}

/**
 * To be called in the transaction that takes the device from its account, or that replaces its token.
 * @param device as it was before
 */
export async function rememberToken(
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

export async function isFormerToken(database: Database, tokenHash: string): Promise<boolean> {
  return (await macOfFormer(database, tokenHash)) !== undefined;
}

/**
 * Handles a device that registers with a token of its own making and has no claim code yet: it gets a code, or must
 * first replace the token. Call it in the transaction that wrote the device's row, so that no other account can claim
 * it meanwhile.
 * @throws {Fault} `token_bound` for a former token of another MAC
 */
export async function offerCode(
  transaction: Database,
  { id, mac, token_hash }: Row<"devices">,
): Promise<Row<"devices">> {
  const boundTo = await macOfFormer(transaction, token_hash);
  if (boundTo !== undefined && boundTo !== mac)
    throw new Fault("token_bound", `Cannot register ${mac}: the token is bound to another MAC`);
  const known = await transaction
    .selectFrom("former_tokens")
    .select("mac")
    .where("mac", "=", mac)
    .limit(1)
    .executeTakeFirst();
  return await transaction
    .updateTable("devices")
    .set(known ? { rotation_id: randomUUID() } : { claim_code: makeClaimCode() })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function macOfFormer(database: Database, tokenHash: string): Promise<string | undefined> {
  const row = await database
    .selectFrom("former_tokens")
    .select("mac")
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return row?.mac;
}
