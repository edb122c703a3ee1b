/** Reads a publisher's key from the PEM file that the operator got. */
import type { Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import { readPublicKey } from "../../protocol/keys/certificate.js";
import { type PemItem, PemReader } from "../../protocol/keys/pem-reader.js";
import { nodeBase64 } from "../../tools/node-bytes.js";
import type { Database, Row, Tables } from "../database/schema.js";
import { SIGNATURE_PORTS } from "../signature-ports.js";

/**
 * @param pem one `PUBLIC KEY`; text around it is passed over
 * @returns 32 bytes
 * @throws {Fault} `keys_invalid` for anything but one Ed25519 key that only its owner can sign for
 */
export function readPublisherKey(pem: string): Uint8Array {
  const items = itemsOf(pem);
  const problem = items.find((item) => item.kind === "problem");
  if (problem) throw invalid(`line ${problem.line}: ${problem.text}`);
  const [block, another] = items;
  if (block?.kind !== "block") throw invalid("there is no PEM block in it");
  if (another) throw invalid("there is more than one PEM block in it");
  if (block.label !== "PUBLIC KEY") throw invalid(`it holds a ${block.label}, and is to hold a PUBLIC KEY`);
  return keyOf(block.bytes);
}

function itemsOf(pem: string): PemItem[] {
  const items: PemItem[] = [];
  const reader = new PemReader(nodeBase64);
  reader.write(new TextEncoder().encode(pem), (item) => items.push(item));
  const last = reader.end();
  if (last) items.push(last);
  return items;
}

function keyOf(element: Uint8Array): Uint8Array {
  try {
    return readPublicKey(element, SIGNATURE_PORTS.ed25519).slice();
  } catch (cause) {
    if (cause instanceof Fault) throw invalid(cause.message);
    throw cause;
  }
}

function invalid(reason: string): Fault {
  return new Fault("keys_invalid", `Cannot use the publisher's key: ${reason}`);
}

// Checks whether a publisher may still publish, at the moment when the upload is stored.

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
  if (!key) throw new Fault("signature_invalid", "The key of this signature was revoked");
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
      "This publisher may not publish firmware: the hub's operator grants the right for each architecture",
    );
}

/** @throws {Fault} `forbidden` */
export function requireArchitectureRight(
  { firmware_architectures }: Pick<Row<"publishers">, "firmware_architectures">,
  arch: string,
): void {
  if (firmware_architectures.split(",").includes(arch)) return;
  const may = firmware_architectures || "none";
  throw new Fault("forbidden", `This publisher may not publish firmware for ${arch}, only for ${may}`);
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
