/**
 * Publishers, their tokens and their rights. The operator manages them, never over the network
 * (docs/spec/hub-api.md#publisher-operator). A publisher is never deleted: its name and its app names stay taken.
 * Revoking a publisher withdraws everything that it published (docs/spec/hub-api.md#revoke-publisher).
 */
import { randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { isoTime } from "../api/answers.js";
import { makePublisherToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";
import type { PublisherTable } from "../database/schema.js";
import { retriedTransaction } from "../database/transactions.js";
import { storeRevocationList } from "../push/revocations.js";
import { insertKey, PublisherKeys, type PublisherKeysOptions, readPublisherKey } from "./publisher-keys.js";
import { lockPublisher, requirePublisher, writeArchitectures } from "./publisher-rights.js";
import { publicationsOf, type Withdrawal, withdraw } from "./withdrawal.js";

/** A publisher as the operator sees it. Times are ISO 8601. */
export interface PublisherEntry {
  readonly publisher_id: string;
  readonly name: string;
  /** The architectures for which the publisher may publish firmware. */
  readonly firmware: readonly string[];
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export interface PublishersOptions extends PublisherKeysOptions, Pick<HubContext, "hasher"> {}

const NAME_LIMIT_CHARACTERS = 64;
/** No control characters, and a visible character at both ends. */
const NAME = /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u;

export class Publishers {
  readonly keys: PublisherKeys;
  readonly #context: PublishersOptions;

  constructor(context: PublishersOptions) {
    this.#context = context;
    this.keys = new PublisherKeys(context);
  }

  /**
   * @param pem the first public key
   * @param firmware the architectures for which the publisher may publish firmware
   * @returns the token, which the hub does not store and cannot show again
   * @throws {Fault} `bad_parameter`, `keys_invalid`, `publisher_exists`
   */
  async add(
    name: string,
    pem: string,
    firmware: readonly string[] = [],
  ): Promise<{ readonly publisher_id: string; readonly token: string }> {
    requireName(name);
    const firmware_architectures = writeArchitectures(firmware);
    const publicKey = readPublisherKey(pem);
    const id = randomUUID();
    const token = makePublisherToken();
    const token_hash = this.#context.hasher.hash(token);
    const created_at = this.#context.now();
    await this.#context.database.transaction().execute(async (transaction) => {
      const added = await transaction
        .insertInto("publishers")
        .values({ id, name, token_hash, created_at, firmware_architectures })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .returning("id")
        .executeTakeFirst();
      if (!added) throw new Fault("publisher_exists", `There is a publisher "${name}" already`);
      await insertKey(transaction, { publisherId: id, publicKey, createdAt: created_at });
    });
    return { publisher_id: id, token };
  }

  /** Sorted by name. */
  async list(): Promise<readonly PublisherEntry[]> {
    const rows = await this.#context.database.selectFrom("publishers").selectAll().execute();
    return rows.map(entryOf).sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /**
   * Invalidates the publisher's token and keys, and withdraws everything that it published. Repeat it for a revoked
   * publisher to withdraw what is still offered.
   * @throws {Fault} `publisher_not_found`
   */
  async revoke(name: string): Promise<PublisherEntry & { readonly withdrawn: Withdrawal }> {
    const { database, now } = this.#context;
    const { id } = await requirePublisher(database, name);
    const withdrawn = await retriedTransaction(database, async (transaction) => {
      await lockPublisher(transaction, id);
      const revoked = { revoked_at: now() };
      await transaction
        .updateTable("publishers")
        .set(revoked)
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .execute();
      await transaction
        .updateTable("publisher_keys")
        .set(revoked)
        .where("publisher_id", "=", id)
        .where("revoked_at", "is", null)
        .execute();
      return withdraw(transaction, await publicationsOf(transaction, id), now());
    });
    return { ...entryOf(await requirePublisher(database, name)), withdrawn };
  }

  /**
   * @param firmware the architectures for which the publisher may publish firmware; an empty list removes the right
   * @throws {Fault} `publisher_not_found`, `bad_parameter`
   */
  async setFirmware(name: string, firmware: readonly string[]): Promise<PublisherEntry> {
    const firmware_architectures = writeArchitectures(firmware);
    const { database } = this.#context;
    const { id } = await requirePublisher(database, name);
    await database.updateTable("publishers").set({ firmware_architectures }).where("id", "=", id).execute();
    return entryOf(await requirePublisher(database, name));
  }

  /** Replaces a lost or leaked token. @throws {Fault} `publisher_not_found` */
  async renewToken(name: string): Promise<{ readonly publisher_id: string; readonly token: string }> {
    const { id } = await requirePublisher(this.#context.database, name);
    const { publisher_token: token } = await this.rotateToken(id);
    return { publisher_id: id, token };
  }

  /** Replaces the token; the previous one is invalid at once. @returns the new token, which cannot be shown again */
  async rotateToken(
    publisherId: string,
  ): Promise<{ readonly publisher_id: string; readonly publisher_token: string }> {
    const publisher_token = makePublisherToken();
    const { database, hasher } = this.#context;
    const { numUpdatedRows } = await database
      .updateTable("publishers")
      .set({ token_hash: hasher.hash(publisher_token) })
      .where("id", "=", publisherId)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Fault("unauthorized", "This publisher has been revoked");
    return { publisher_id: publisherId, publisher_token };
  }

  /** Invalidates the token. The publisher has none until the operator makes a new one. */
  async endToken(publisherId: string): Promise<void> {
    const { database } = this.#context;
    const token_hash = `ended ${publisherId}`; // no token has this hash
    await database.updateTable("publishers").set({ token_hash }).where("id", "=", publisherId).execute();
  }

  /** Sends a revocation list to all consoles: see {@link storeRevocationList}. */
  pushRevocations(list: Uint8Array): Promise<{ readonly number: number; readonly keys: number }> {
    return storeRevocationList(this.#context, list);
  }

  /**
   * @param publisherId the owner; left out by the operator, who may withdraw any publisher's firmware
   * @param arch all architectures of the version when left out
   * @throws {Fault} `firmware_not_found`, `not_owner`
   */
  async withdrawFirmware(version: string, arch?: string, publisherId?: string): Promise<Withdrawal> {
    const { database, now } = this.#context;
    return retriedTransaction(database, async (transaction) => {
      const found = await transaction
        .selectFrom("firmware")
        .selectAll()
        .where("version", "=", version)
        .$if(arch !== undefined, (query) => query.where("arch", "=", arch as string))
        .orderBy("arch")
        .execute();
      const what = arch === undefined ? `firmware ${version}` : `firmware ${version} for ${arch}`;
      if (found.length === 0) throw new Fault("firmware_not_found", `There is no ${what}`);
      if (publisherId !== undefined && found.some(({ publisher_id }) => publisher_id !== publisherId))
        throw new Fault("not_owner", `${what} belongs to another publisher`);
      return withdraw(transaction, { versions: [], firmware: found }, now());
    });
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

function entryOf(row: Selectable<PublisherTable>): PublisherEntry {
  const { id, name, created_at, revoked_at, firmware_architectures } = row;
  return {
    publisher_id: id,
    name,
    firmware: firmware_architectures.split(",").filter((arch) => arch !== ""),
    created_at: isoTime(created_at),
    revoked_at: isoTime(revoked_at),
  };
}
