/**
 * Publishers, their keys and their rights: the operator sets them, never over the network
 * (docs/spec/hub-api.md#publisher-operator). They are never deleted: app names belong to a publisher forever, and a
 * revoked key stays known as revoked. A revocation also affects what was published
 * (docs/spec/hub-api.md#revoke-publisher): see withdrawal.ts.
 */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Selectable, Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { SIGNED_AT } from "../../protocol/firmware/bundle-header.js";
import { hexadecimal } from "../../protocol/hexadecimal.js";
import { readRevocationList } from "../../protocol/keys/revocation-list.js";
import { verifySignature } from "../../protocol/signature/ed25519.js";
import { readSignature } from "../../protocol/signature/signature-text.js";
import { readSuccessions, successionHolds } from "../../protocol/signature/statements.js";
import { makePublisherToken } from "../auth/tokens.js";
import type { HubContext } from "../context.js";
import type { Database, PublisherKeyTable, PublisherTable, Row, Tables } from "../database/schema.js";
import { retriedTransaction } from "../database/transactions.js";
import type { ContentStore } from "../files/content-store.js";
import { SIGNATURE_PORTS } from "../signature-ports.js";
import { lockPublisher, readPublisherKey, writeArchitectures } from "./publisher-key.js";
import { type FirmwareName, withdrawFirmware, withdrawVersions } from "./withdrawal.js";

/** What the operator is shown. Times are ISO 8601, `null` where it has not happened. */
export interface PublisherEntry {
  readonly publisher_id: string;
  readonly name: string;
  /** For which it may bring firmware. */
  readonly firmware: readonly string[];
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export interface KeyEntry {
  readonly key_id: string;
  /** 64 hexadecimal digits. */
  readonly public_key: string;
  /** Keys before this one that lead to it, the oldest first. */
  readonly succeeds: readonly string[];
  readonly created_at: string;
  readonly revoked_at: string | null;
}

/** What a publisher, or the operator, has withdrawn. */
export interface Withdrawal {
  readonly apps: readonly { readonly app_id: string; readonly version: string }[];
  readonly firmware: readonly FirmwareName[];
}

export interface PublishersOptions extends Pick<HubContext, "database" | "hasher" | "now"> {
  /** To see which key has signed a bundle of a hub of 0.1.0. */
  readonly files: Pick<ContentStore, "open">;
}

/** Of one list in a message of the 4096 bytes that consoles read. */
const PUSHED_KEYS_LIMIT = 90;

const NAME_LIMIT_CHARACTERS = 64;
/** No control characters, and something to see at either end. */
const NAME = /^[^\p{C}\s](?:[^\p{C}]*[^\p{C}\s])?$/u;

export class Publishers {
  readonly #context: PublishersOptions;

  constructor(context: PublishersOptions) {
    this.#context = context;
  }

  /**
   * @param pem their first public key
   * @param firmware architectures for which they may bring firmware
   * @returns the token, which is not kept and cannot be had again
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
    const row = { id, name, token_hash, created_at: this.#context.now(), firmware_architectures };
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

  /**
   * Their token and keys are of no use from now on, and what they published is withdrawn: also for one that was revoked
   * before.
   * @throws {Fault} `publisher_not_found`
   */
  async revoke(name: string): Promise<PublisherEntry & { readonly withdrawn: Withdrawal }> {
    const { id } = await this.#require(name);
    const withdrawn = await retriedTransaction(this.#context.database, async (transaction) => {
      await lockPublisher(transaction, id);
      const revoked = { revoked_at: this.#context.now() };
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
      return this.#withdraw(transaction, await offeredBy(transaction, id));
    });
    return { ...entryOf(await this.#require(name)), withdrawn };
  }

  /**
   * @param firmware architectures for which they may bring firmware, none for no right
   * @throws {Fault} `publisher_not_found`, `bad_parameter`
   */
  async setFirmware(name: string, firmware: readonly string[]): Promise<PublisherEntry> {
    const firmware_architectures = writeArchitectures(firmware);
    const { id } = await this.#require(name);
    const { database } = this.#context;
    await database.updateTable("publishers").set({ firmware_architectures }).where("id", "=", id).execute();
    return entryOf(await this.#require(name));
  }

  /** For one whose token is lost, or known to others. @throws {Fault} `publisher_not_found` */
  async renewToken(name: string): Promise<{ readonly publisher_id: string; readonly token: string }> {
    const { id } = await this.#require(name);
    const { publisher_token: token } = await this.rotateToken(id);
    return { publisher_id: id, token };
  }

  /** The token before is of no use from now on. @returns the new one, which cannot be had again */
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

  /** The publisher has no token until the operator makes one. */
  async endToken(publisherId: string): Promise<void> {
    const { database } = this.#context;
    const token_hash = `ended ${publisherId}`; // the hash of nothing
    await database.updateTable("publishers").set({ token_hash }).where("id", "=", publisherId).execute();
  }

  /**
   * @param publisherId the owner; left out by the operator, who may withdraw any publisher's
   * @param arch left out: all architectures of the version
   * @throws {Fault} `firmware_not_found`, `not_owner`
   */
  async withdrawFirmware(version: string, arch?: string, publisherId?: string): Promise<Withdrawal> {
    return retriedTransaction(this.#context.database, async (transaction) => {
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
      return this.#withdraw(transaction, { versions: [], firmware: found });
    });
  }

  /**
   * @param succession links that lead to the key from one that the publisher has had, as they travel
   * @throws {Fault} `publisher_not_found`, `keys_invalid`, `key_exists`; `signature_invalid` for a succession that does
   *   not hold, or does not lead from one of the publisher's keys to this one
   */
  async addKey(name: string, pem: string, succession?: string): Promise<KeyEntry> {
    const publicKey = readPublisherKey(pem);
    const { id } = await this.#require(name);
    if (succession !== undefined) await this.#requireSuccession(id, publicKey, succession);
    return keyEntryOf(await this.#insertKey(this.#context.database, id, publicKey, succession));
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
   * Signatures of the key hold no more, and what it has signed is withdrawn: also for one that was revoked before.
   * @throws {Fault} `publisher_not_found`, `key_not_found`
   */
  async revokeKey(name: string, keyId: string): Promise<KeyEntry & { readonly withdrawn: Withdrawal }> {
    const { id } = await this.#require(name);
    const { database } = this.#context;
    const found = (await this.listKeys(name)).find(({ key_id }) => key_id === keyId);
    if (!found) throw new Fault("key_not_found", `"${name}" has no key "${keyId}"`);
    const older = await this.#signedBy(id, found.public_key);
    const withdrawn = await retriedTransaction(database, async (transaction) => {
      await lockPublisher(transaction, id);
      await transaction
        .updateTable("publisher_keys")
        .set({ revoked_at: this.#context.now() })
        .where("id", "=", keyId)
        .where("revoked_at", "is", null)
        .execute();
      const { versions, firmware } = await offeredBy(transaction, id);
      return this.#withdraw(transaction, {
        versions: versions.filter(({ public_key }) => public_key === found.public_key),
        firmware: firmware.filter(
          ({ public_key, sha256 }) => public_key === found.public_key || older.has(sha256),
        ),
      });
    });
    const [key] = (await this.listKeys(name)).filter(({ key_id }) => key_id === keyId);
    return { ...(key ?? found), withdrawn };
  }

  /**
   * The key of the publisher, not revoked, of which a signature over a package's SHA-256 is.
   * @param signature 128 hexadecimal digits
   * @returns the key
   * @throws {Fault} `signature_missing`, `signature_invalid`
   */
  async requireSignature(
    publisherId: string,
    sha256: Uint8Array,
    signature: string | undefined,
  ): Promise<Uint8Array> {
    const signed = { message: sha256, signature: readSignature(signature), ...SIGNATURE_PORTS };
    for (const publicKey of await this.keys(publisherId))
      if (verifySignature({ ...signed, publicKey })) return publicKey;
    throw new Fault(
      "signature_invalid",
      "The signature does not match this file and any registered key of the publisher",
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

  async #withdraw(transaction: Transaction<Tables>, { versions, firmware }: Offered): Promise<Withdrawal> {
    const now = this.#context.now();
    const byApp = new Map<string, string[]>();
    for (const { app_id, version } of versions)
      if (!byApp.get(app_id)?.push(version)) byApp.set(app_id, [version]);
    for (const [appId, ofApp] of byApp) await withdrawVersions(transaction, appId, ofApp, now);
    for (const one of firmware) await withdrawFirmware(transaction, one, now);
    return {
      apps: versions.map(({ app_id, version }) => ({ app_id, version })),
      firmware: firmware.map(({ arch, version }) => ({ arch, version })),
    };
  }

  /**
   * Bundles of which a hub of 0.1.0 did not keep who has signed them, by their hash. One whose file is not to be read
   * cannot be served either, and counts as signed by the key.
   */
  async #signedBy(publisherId: string, publicKey: string): Promise<ReadonlySet<string>> {
    const rows = await this.#context.database
      .selectFrom("firmware")
      .selectAll()
      .where("publisher_id", "=", publisherId)
      .where("public_key", "=", "")
      .execute();
    const signed = new Set<string>();
    for (const { sha256, signature } of rows)
      if (await this.#holds(sha256, signature, publicKey)) signed.add(sha256);
    return signed;
  }

  async #holds(sha256: string, signature: string, publicKey: string): Promise<boolean> {
    try {
      const { path } = await this.#context.files.open(sha256);
      return verifySignature({
        ...SIGNATURE_PORTS,
        message: (await readFile(path)).subarray(SIGNED_AT),
        signature: readSignature(signature),
        publicKey: Uint8Array.from(Buffer.from(publicKey, "hex")),
      });
    } catch {
      return true; // it is damaged, which is no reason to go on offering it
    }
  }

  /**
   * Gives a list of revoked keys to all consoles, in the place of the one before: each is sent it until its result is in.
   * @param bytes as docs/spec/keys.md defines them
   * @throws {Fault} `revocations_invalid`; `revocations_older` for a number that is not above that of the list before
   */
  async pushRevocations(bytes: Uint8Array): Promise<{ readonly number: number; readonly keys: number }> {
    const { number, count, signer, signature, signedBytes } = readRevocationList(bytes);
    if (!verifySignature({ ...SIGNATURE_PORTS, message: signedBytes, signature, publicKey: signer }))
      throw new Fault(
        "revocations_invalid",
        "Cannot accept the list of revoked keys: its signature is invalid",
      );
    if (count > PUSHED_KEYS_LIMIT)
      throw new Fault(
        "revocations_invalid",
        `Cannot push a list of ${count} keys: the limit is ${PUSHED_KEYS_LIMIT}; put it into firmware`,
      );
    await retriedTransaction(this.#context.database, async (transaction) => {
      const newest = await transaction
        .selectFrom("revocations")
        .select("number")
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst();
      if (newest && newest.number >= number)
        throw new Fault("revocations_older", `List ${newest.number} was sent to all consoles already`);
      const list = Buffer.from(bytes).toString("base64");
      await transaction.deleteFrom("revocations").execute();
      const row = { id: randomUUID(), number, list, created_at: this.#context.now() };
      await transaction.insertInto("revocations").values(row).execute();
    });
    return { number, keys: count };
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
    succession: string | null = null,
  ): Promise<Selectable<PublisherKeyTable>> {
    const digits = hexadecimal(publicKey);
    const row = {
      id: randomUUID(),
      publisher_id: publisherId,
      public_key: digits,
      succession,
      created_at: this.#context.now(),
    };
    const added = await database
      .insertInto("publisher_keys")
      .values(row)
      .onConflict((conflict) => conflict.columns(["publisher_id", "public_key"]).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (added) return added;
    throw new Fault("key_exists", `The publisher has or had this key: ${digits}`);
  }
}

interface Offered {
  readonly versions: readonly Row<"app_versions">[];
  readonly firmware: readonly Row<"firmware">[];
}

/** What is not withdrawn of all that a publisher has published. */
async function offeredBy(database: Database, publisherId: string): Promise<Offered> {
  const versions = await database
    .selectFrom("app_versions")
    .innerJoin("apps", "apps.id", "app_versions.app_id")
    .selectAll("app_versions")
    .where("apps.publisher_id", "=", publisherId)
    .where("app_versions.withdrawn_at", "is", null)
    .orderBy("app_versions.app_id")
    .execute();
  const firmware = await database
    .selectFrom("firmware")
    .selectAll()
    .where("publisher_id", "=", publisherId)
    .where("withdrawn_at", "is", null)
    .execute();
  return { versions, firmware };
}

function requireName(name: string): void {
  if ([...name].length <= NAME_LIMIT_CHARACTERS && NAME.test(name)) return;
  throw new Fault(
    "bad_parameter",
    `A publisher's name has 1 to ${NAME_LIMIT_CHARACTERS} characters, none of them a control character, and no ` +
      "space at its ends",
  );
}

function entryOf({
  id,
  name,
  created_at,
  revoked_at,
  firmware_architectures,
}: Selectable<PublisherTable>): PublisherEntry {
  return {
    ...{ publisher_id: id, name, firmware: firmware_architectures.split(",").filter((arch) => arch !== "") },
    ...{ created_at: timeOf(created_at), revoked_at: timeOrNull(revoked_at) },
  };
}

function keyEntryOf({
  id,
  public_key,
  created_at,
  revoked_at,
  succession,
}: Selectable<PublisherKeyTable>): KeyEntry {
  return {
    ...{ key_id: id, public_key, succeeds: (succession?.split(",") ?? []).map((link) => link.slice(0, 64)) },
    ...{ created_at: timeOf(created_at), revoked_at: timeOrNull(revoked_at) },
  };
}

function timeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timeOf(milliseconds);
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
