/** Looks up publishers, and checks whether they may publish. */
import type { Selectable, Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import type { Database, PublisherTable, Row, Tables } from "../database/schema.js";

/** @throws {Fault} `publisher_not_found` */
export async function requirePublisher(
  database: Database,
  name: string,
): Promise<Selectable<PublisherTable>> {
  const row = await database.selectFrom("publishers").selectAll().where("name", "=", name).executeTakeFirst();
  if (row) return row;
  throw new Fault("publisher_not_found", `There is no publisher "${name}"`);
}

/** Blocks other transactions that change the publisher's rights or publications until this transaction ends. */
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
 * Checks that the publisher and the key are not revoked, in the transaction that stores the upload. Locks the
 * publisher's row: a revocation either precedes this transaction, which then stores nothing, or follows it and
 * withdraws what it stored.
 * @param publicKey the key of the signature, 64 hexadecimal digits
 * @throws {Fault} `unauthorized`, `signature_invalid`
 */
export async function requireActivePublisher(
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
  if (!key) throw new Fault("signature_invalid", "The key of this signature was revoked");
  return publisher;
}

/**
 * Call it before reading a bundle: a publisher without any right to firmware need not upload it.
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
      "This publisher may not publish firmware: the hub's operator grants the right for each architecture",
    );
}

/** @throws {Fault} `forbidden` */
export function requireArchitectureRight(
  { firmware_architectures }: Pick<Row<"publishers">, "firmware_architectures">,
  arch: string,
): void {
  if (firmware_architectures.split(",").includes(arch)) return;
  const allowed = firmware_architectures || "none";
  throw new Fault("forbidden", `This publisher may not publish firmware for ${arch}, only for ${allowed}`);
}

/**
 * Formats architectures for the database: without duplicates, in the order of the table.
 * @throws {Fault} `bad_parameter` for an unknown architecture
 */
export function writeArchitectures(architectures: readonly string[]): string {
  const unknown = architectures.find((arch) => !(VARIANT_ARCHITECTURES as readonly string[]).includes(arch));
  if (unknown !== undefined)
    throw new Fault(
      "bad_parameter",
      `"${unknown}" is not an architecture of a console: those are ${VARIANT_ARCHITECTURES.join(", ")}`,
    );
  return VARIANT_ARCHITECTURES.filter((arch) => architectures.includes(arch)).join(",");
}
