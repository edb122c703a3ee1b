/**
 * The signing keys of publishers. The operator adds and revokes them, never over the network
 * (docs/spec/hub-api.md#publisher-operator). A revoked key stays in the database, so that it cannot be added again.
 * Revoking a key withdraws everything that it signed (docs/spec/hub-api.md#revoke-publisher).
 */
import { randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { hexadecimal } from "../../protocol/hexadecimal.js";
import { readPublicKey } from "../../protocol/keys/certificate.js";
import { type PemItem, PemReader } from "../../protocol/keys/pem-reader.js";
import { verifySignature } from "../../protocol/signature/ed25519.js";
import { readSignature } from "../../protocol/signature/signature-text.js";
import { readSuccessions, successionHolds } from "../../protocol/signature/statements.js";
import { nodeBase64 } from "../../tools/node-bytes.js";
import { isoTime } from "../api/answers.js";
import type { HubContext } from "../context.js";
import type { Database, PublisherKeyTable } from "../database/schema.js";
import { retriedTransaction } from "../database/transactions.js";
import { SIGNATURE_PORTS } from "../signature-ports.js";
import { lockPublisher, requirePublisher } from "./publisher-rights.js";
import { publicationsOf, type Withdrawal, withdraw } from "./withdrawal.js";

/** A key as the operator sees it. Times are ISO 8601. */
export interface KeyEntry {
  readonly key_id: string;
  /** 64 hexadecimal digits. */
  readonly public_key: string;
  /** The previous keys whose succession leads to this key, oldest first. */
  readonly succeeds: readonly string[];
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export type PublisherKeysOptions = Pick<HubContext, "database" | "now">;

export class PublisherKeys {
  readonly #context: PublisherKeysOptions;

  constructor(context: PublisherKeysOptions) {
    this.#context = context;
  }

  /**
   * @param succession the links that lead to the key from a previous key of the publisher, in transport format
   * @throws {Fault} `publisher_not_found`, `keys_invalid`, `key_exists`; `signature_invalid` for an invalid succession,
   *   or one that does not lead from a key of the publisher to this key
   */
  async add(name: string, pem: string, succession?: string): Promise<KeyEntry> {
    const publicKey = readPublisherKey(pem);
    const { id } = await requirePublisher(this.#context.database, name);
    if (succession !== undefined) await this.#requireSuccession(id, publicKey, succession);
    const { database, now } = this.#context;
    return entryOf(await insertKey(database, { publisherId: id, publicKey, succession, createdAt: now() }));
  }

  /** In the order in which they were added. @throws {Fault} `publisher_not_found` */
  async list(name: string): Promise<readonly KeyEntry[]> {
    const { id } = await requirePublisher(this.#context.database, name);
    const rows = await this.#context.database
      .selectFrom("publisher_keys")
      .selectAll()
      .where("publisher_id", "=", id)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return rows.map(entryOf);
  }

  /**
   * Invalidates the key's signatures and withdraws everything that it signed. Repeat it for a revoked key to withdraw
   * what is still offered.
   * @throws {Fault} `publisher_not_found`, `key_not_found`
   */
  async revoke(name: string, keyId: string): Promise<KeyEntry & { readonly withdrawn: Withdrawal }> {
    const { database, now } = this.#context;
    const { id } = await requirePublisher(database, name);
    const found = (await this.list(name)).find(({ key_id }) => key_id === keyId);
    if (!found) throw new Fault("key_not_found", `"${name}" has no key "${keyId}"`);
    const withdrawn = await retriedTransaction(database, async (transaction) => {
      await lockPublisher(transaction, id);
      await transaction
        .updateTable("publisher_keys")
        .set({ revoked_at: now() })
        .where("id", "=", keyId)
        .where("revoked_at", "is", null)
        .execute();
      const { versions, firmware } = await publicationsOf(transaction, id);
      const isSigned = ({ public_key }: { readonly public_key: string }) => public_key === found.public_key;
      const signed = { versions: versions.filter(isSigned), firmware: firmware.filter(isSigned) };
      return withdraw(transaction, signed, now());
    });
    const [key] = (await this.list(name)).filter(({ key_id }) => key_id === keyId);
    return { ...(key ?? found), withdrawn };
  }

  /** The publisher's public keys that are not revoked, 32 bytes each. */
  async active(publisherId: string): Promise<readonly Uint8Array[]> {
    const rows = await this.#context.database
      .selectFrom("publisher_keys")
      .select("public_key")
      .where("publisher_id", "=", publisherId)
      .where("revoked_at", "is", null)
      .execute();
    return rows.map((row) => bytesOf(row.public_key));
  }

  /**
   * Verifies a signature over a package's SHA-256.
   * @param signature 128 hexadecimal digits
   * @returns the publisher's active key that made it
   * @throws {Fault} `signature_missing`, `signature_invalid`
   */
  async requireSignature(
    publisherId: string,
    sha256: Uint8Array,
    signature: string | undefined,
  ): Promise<Uint8Array> {
    const signed = { message: sha256, signature: readSignature(signature), ...SIGNATURE_PORTS };
    for (const publicKey of await this.active(publisherId))
      if (verifySignature({ ...signed, publicKey })) return publicKey;
    throw new Fault(
      "signature_invalid",
      "The signature does not match this file and any registered key of the publisher",
    );
  }

  async #requireSuccession(publisherId: string, publicKey: Uint8Array, text: string): Promise<void> {
    const links = readSuccessions(text);
    const [first] = links;
    const last = links.at(-1);
    if (!first || !last || hexadecimal(last.newKey) !== hexadecimal(publicKey))
      throw new Fault("signature_invalid", "The succession does not lead to this key");
    if (!links.every((link) => successionHolds(link, SIGNATURE_PORTS)))
      throw new Fault("signature_invalid", "The succession is not signed by its old keys");
    const known = await this.#context.database
      .selectFrom("publisher_keys")
      .select("id")
      .where("publisher_id", "=", publisherId)
      .where("public_key", "=", hexadecimal(first.oldKey))
      .executeTakeFirst();
    if (!known)
      throw new Fault("signature_invalid", "The succession does not begin at a key of the publisher");
  }
}

export interface NewKey {
  readonly publisherId: string;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly succession?: string | undefined;
  readonly createdAt: number;
}

/** @throws {Fault} `key_exists` */
export async function insertKey(
  database: Database,
  { publisherId, publicKey, succession = undefined, createdAt }: NewKey,
): Promise<Selectable<PublisherKeyTable>> {
  const public_key = hexadecimal(publicKey);
  const added = await database
    .insertInto("publisher_keys")
    .values({
      id: randomUUID(),
      publisher_id: publisherId,
      public_key,
      succession: succession ?? null,
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.columns(["publisher_id", "public_key"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (added) return added;
  throw new Fault("key_exists", `The publisher has or had this key: ${public_key}`);
}

/**
 * Reads the PEM file of a publisher's key.
 * @param pem one `PUBLIC KEY`; text around it is ignored
 * @returns 32 bytes
 * @throws {Fault} `keys_invalid` unless it is exactly one Ed25519 key, and not of small order: anyone could sign for
 *   such
 */
export function readPublisherKey(pem: string): Uint8Array {
  const items = itemsOf(pem);
  const problem = items.find((item) => item.kind === "problem");
  if (problem) throw invalid(`line ${problem.line}: ${problem.text}`);
  const [block, another] = items;
  if (block?.kind !== "block") throw invalid("there is no PEM block in it");
  if (another) throw invalid("there is more than one PEM block in it");
  if (block.label !== "PUBLIC KEY") throw invalid(`it holds a ${block.label} instead of a PUBLIC KEY`);
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

function bytesOf(hexadecimalKey: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hexadecimalKey, "hex"));
}

function entryOf(row: Selectable<PublisherKeyTable>): KeyEntry {
  const { id, public_key, created_at, revoked_at, succession } = row;
  return {
    key_id: id,
    public_key,
    succeeds: (succession?.split(",") ?? []).map((link) => link.slice(0, 64)),
    created_at: isoTime(created_at),
    revoked_at: isoTime(revoked_at),
  };
}
