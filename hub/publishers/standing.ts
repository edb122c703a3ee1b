/** Checks whether a publisher may still publish, at the moment when the upload is stored. */
import type { Transaction } from "kysely";
import { VARIANT_ARCHITECTURES } from "../../protocol/architecture.js";
import { Fault } from "../../protocol/fault.js";
import type { Database, Row, Tables } from "../database/schema.js";

/**
 * Locks the publisher's row, so that a revocation comes before this transaction, which then enters nothing, or after it,
 * and withdraws what it entered.
 * @param publicKey that has signed, 64 hexadecimal digits
 * @throws {Fault} `unauthorized`, `signature_invalid`
 */
export async function requireStanding(
  transaction: Transaction<Tables>,
  publisherId: string,
  publicKey: string,
): Promise<Row<"publishers">> {
  const publisher = await lockPublisher(transaction, publisherId);
  if (!publisher || publisher.revoked_at !== null)
    throw new Fault("unauthorized", "This publisher has been revoked");
  const key = await transaction
    .selectFrom("publisher_keys")
    .select("id")
    .where("publisher_id", "=", publisherId)
    .where("public_key", "=", publicKey)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  if (!key) throw new Fault("signature_invalid", "The key that has signed this was revoked");
  return publisher;
}

/** Others who change what the publisher may, or has, wait until the transaction ends. */
export function lockPublisher(
  transaction: Transaction<Tables>,
  publisherId: string,
): Promise<Row<"publishers"> | undefined> {
  return transaction
    .updateTable("publishers")
    .set((row) => ({ id: row.ref("id") })) // changes nothing: both databases lock a row that is written
    .where("id", "=", publisherId)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Before a bundle is read: a publisher without the right is spared the upload, and the hub the bytes.
 * @throws {Fault} `forbidden`
 */
export async function requireFirmwareRight(database: Database, publisherId: string): Promise<void> {
  const publisher = await database
    .selectFrom("publishers")
    .select("firmware_architectures")
    .where("id", "=", publisherId)
    .executeTakeFirst();
  if (!publisher?.firmware_architectures)
    throw new Fault(
      "forbidden",
      "This publisher may not publish firmware: the hub's operator gives the right, by architecture",
    );
}

/** @throws {Fault} `forbidden` */
export function requireArchitectureRight(
  { firmware_architectures }: Pick<Row<"publishers">, "firmware_architectures">,
  arch: string,
): void {
  if (firmware_architectures.split(",").includes(arch)) return;
  const may = firmware_architectures || "none";
  throw new Fault("forbidden", `This publisher may not publish firmware for ${arch}: it may for ${may}`);
}

/**
 * As it is kept: each once, in the order of the table.
 * @throws {Fault} `bad_parameter` for what is no architecture of a console
 */
export function writeArchitectures(architectures: readonly string[]): string {
  const unknown = architectures.find((arch) => !(VARIANT_ARCHITECTURES as readonly string[]).includes(arch));
  if (unknown !== undefined)
    throw new Fault(
      "bad_parameter",
      `"${unknown}" is no architecture of a console: those are ${VARIANT_ARCHITECTURES.join(", ")}`,
    );
  return VARIANT_ARCHITECTURES.filter((arch) => architectures.includes(arch)).join(",");
}
