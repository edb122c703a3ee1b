/**
 * Publishers and their keys: made by the operator, never over the network (section 13 of the decisions). Nothing of
 * them is deleted: names of apps belong to a publisher for ever, and a key that was revoked stays known as such.
 */
import { randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { hexadecimal } from "../../protocol/hexadecimal.js";
import { verifySignature } from "../../protocol/signature/ed25519.js";
import { readSignature } from "../../protocol/signature/signature-text.js";
import { makePublisherToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";
import type { Database, PublisherKeyTable, PublisherTable } from "../database/schema.js";
import { SIGNATURE_PORTS } from "../signature-ports.js";
import { readPublisherKey } from "./publisher-key.js";

/** What the operator is shown. Times are ISO 8601, `null` where it has not happened. */
export interface PublisherEntry {
  readonly publisher_id: string;
  readonly name: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export interface KeyEntry {
  readonly key_id: string;
  /** 64 hexadecimal digits. */
  readonly public_key: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

const NAME_LIMIT_CHARACTERS = 64;
/** No control characters, and something to see at either end. */
const NAME = /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u;

export class Publishers {
  readonly #context: Pick<HubContext, "database" | "hasher" | "now">;

  constructor(context: Pick<HubContext, "database" | "hasher" | "now">) {
    this.#context = context;
  }

  /**
   * @param pem their first public key
   * @returns the token, which is not kept and cannot be had again
   * @throws {Fault} `bad_parameter`, `keys_invalid`, `publisher_exists`
   */
  async add(name: string, pem: string): Promise<{ readonly publisher_id: string; readonly token: string }> {
    requireName(name);
    const publicKey = readPublisherKey(pem);
    const id = randomUUID();
    const token = makePublisherToken();
    const row = { id, name, token_hash: this.#context.hasher.hash(token), created_at: this.#context.now() };
    await this.#context.database.transaction().execute(async (transaction) => {
      const added = await transaction
        .insertInto("publishers")
        .values(row)
        .onConflict((conflict) => conflict.column("name").doNothing())
        .returning("id")
        .executeTakeFirst();
      if (!added) throw new Fault("publisher_exists", `There is a publisher "${name}" already`);
      await this.#insertKey(transaction, id, publicKey);
    });
    return { publisher_id: id, token };
  }

  /** By name. */
  async list(): Promise<readonly PublisherEntry[]> {
    const rows = await this.#context.database.selectFrom("publishers").selectAll().execute();
    return rows.map(entryOf).sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Their token is of no use from now on; what they published stays. @throws {Fault} `publisher_not_found` */
  async revoke(name: string): Promise<PublisherEntry> {
    const { id } = await this.#require(name);
    const { database } = this.#context;
    const revoked = { revoked_at: this.#context.now() };
    await database
      .updateTable("publishers")
      .set(revoked)
      .where("id", "=", id)
      .where("revoked_at", "is", null)
      .execute();
    return entryOf(await this.#require(name));
  }

  /** @throws {Fault} `publisher_not_found`, `keys_invalid`, `key_exists` */
  async addKey(name: string, pem: string): Promise<KeyEntry> {
    const publicKey = readPublisherKey(pem);
    const { id } = await this.#require(name);
    return keyEntryOf(await this.#insertKey(this.#context.database, id, publicKey));
  }

  /** In the order in which they were added. @throws {Fault} `publisher_not_found` */
  async listKeys(name: string): Promise<readonly KeyEntry[]> {
    const { id } = await this.#require(name);
    const rows = await this.#context.database
      .selectFrom("publisher_keys")
      .selectAll()
      .where("publisher_id", "=", id)
      .orderBy("created_at")
      .orderBy("id")
      .execute();
    return rows.map(keyEntryOf);
  }

  /**
   * Signatures of the key hold no more; what was published under it stays.
   * @throws {Fault} `publisher_not_found`, `key_not_found`
   */
  async revokeKey(name: string, keyId: string): Promise<KeyEntry> {
    const { id } = await this.#require(name);
    const { database } = this.#context;
    const revoked = { revoked_at: this.#context.now() };
    await database
      .updateTable("publisher_keys")
      .set(revoked)
      .where("id", "=", keyId)
      .where("publisher_id", "=", id)
      .where("revoked_at", "is", null)
      .execute();
    const key = (await this.listKeys(name)).find(({ key_id }) => key_id === keyId);
    if (key) return key;
    throw new Fault("key_not_found", `"${name}" has no key "${keyId}"`);
  }

  /**
   * Whether a signature over a package's SHA-256 is that of a key of the publisher which has not been revoked.
   * @param signature 128 hexadecimal digits
   * @throws {Fault} `signature_missing`, `signature_invalid`
   */
  async requireSignature(
    publisherId: string,
    sha256: Uint8Array,
    signature: string | undefined,
  ): Promise<void> {
    const signed = { message: sha256, signature: readSignature(signature), ...SIGNATURE_PORTS };
    for (const publicKey of await this.keys(publisherId))
      if (verifySignature({ ...signed, publicKey })) return;
    throw new Fault(
      "signature_invalid",
      "The signature is not that of any registered key of the publisher over this file",
    );
  }

  /** Public keys of the publisher that have not been revoked, of 32 bytes each. */
  async keys(publisherId: string): Promise<readonly Uint8Array[]> {
    const rows = await this.#context.database
      .selectFrom("publisher_keys")
      .select("public_key")
      .where("publisher_id", "=", publisherId)
      .where("revoked_at", "is", null)
      .execute();
    return rows.map((row) => Uint8Array.from(Buffer.from(row.public_key, "hex")));
  }

  async #require(name: string): Promise<Selectable<PublisherTable>> {
    const row = await this.#context.database
      .selectFrom("publishers")
      .selectAll()
      .where("name", "=", name)
      .executeTakeFirst();
    if (row) return row;
    throw new Fault("publisher_not_found", `There is no publisher "${name}"`);
  }

  async #insertKey(
    database: Database,
    publisherId: string,
    publicKey: Uint8Array,
  ): Promise<Selectable<PublisherKeyTable>> {
    const digits = hexadecimal(publicKey);
    const row = {
      id: randomUUID(),
      publisher_id: publisherId,
      public_key: digits,
      created_at: this.#context.now(),
    };
    const added = await database
      .insertInto("publisher_keys")
      .values(row)
      .onConflict((conflict) => conflict.columns(["publisher_id", "public_key"]).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (added) return added;
    throw new Fault("key_exists", `The publisher has, or had, this key already: ${digits}`);
  }
}

function requireName(name: string): void {
  if ([...name].length <= NAME_LIMIT_CHARACTERS && NAME.test(name)) return;
  throw new Fault(
    "bad_parameter",
    `A publisher's name has 1 to ${NAME_LIMIT_CHARACTERS} characters, none of them a control character, and no ` +
      "space at its ends",
  );
}

function entryOf({ id, name, created_at, revoked_at }: Selectable<PublisherTable>): PublisherEntry {
  return { publisher_id: id, name, created_at: timeOf(created_at), revoked_at: timeOrNull(revoked_at) };
}

function keyEntryOf({ id, public_key, created_at, revoked_at }: Selectable<PublisherKeyTable>): KeyEntry {
  return { key_id: id, public_key, created_at: timeOf(created_at), revoked_at: timeOrNull(revoked_at) };
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timeOf(milliseconds);
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
