/**
 * Publishes a version of an app in one transaction. The publisher that inserts the app's row first owns its name. The
 * row is locked while versions are compared, so that of two concurrent uploads exactly one wins. Files are put last,
 * when the upload can no longer lose: a loser has written none.
 */
import type { Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { compareVersions } from "../../protocol/version.js";
import type { HubContext } from "../context.js";
import type { Row, Tables } from "../database/schema.js";
import { versionOrder } from "../database/version-order.js";
import { keepFiles } from "../files/kept-files.js";
import { requireStanding } from "../publishers/publisher-key.js";
import { searchText } from "./app-record.js";

export interface Publication {
  readonly publisherId: string;
  readonly manifest: Manifest;
  readonly bytes: Uint8Array;
  /** Of `bytes`, in hexadecimal. */
  readonly sha256: string;
  /** 128 hexadecimal digits. */
  readonly signature: string;
  /** By which it is, 64 hexadecimal digits. */
  readonly publicKey: string;
  readonly icon: Uint8Array | undefined;
  /** Of the icon, in hexadecimal. */
  readonly iconSha256: string | null;
}

/**
 * @returns the app as it is listed now
 * @throws {Fault} `not_owner`, `version_exists`, `version_not_newer`, `storage_full`; nothing is left then
 */
export async function enter(
  context: Pick<HubContext, "database" | "files" | "dialect" | "logger" | "now">,
  publication: Publication,
): Promise<Row<"apps">> {
  const publishedAt = context.now();
  return keepFiles(context, async (transaction, put) => {
    await requireStanding(transaction, publication.publisherId, publication.publicKey);
    const app = await enterApp(transaction, publication, publishedAt);
    await transaction.insertInto("app_versions").values(versionRow(publication, publishedAt)).execute();
    await put(publication.bytes);
    if (publication.icon) await put(publication.icon);
    return app;
  });
}

async function enterApp(
  transaction: Transaction<Tables>,
  publication: Publication,
  publishedAt: number,
): Promise<Row<"apps">> {
  const { publisherId, manifest } = publication;
  const listed = await listing(transaction, publication, publishedAt);
  const added = await transaction
    .insertInto("apps")
    .values({ id: manifest.name, publisher_id: publisherId, ...listed })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (added) return added;
  await requireNext(transaction, publication);
  return transaction
    .updateTable("apps")
    .set(listed)
    .where("id", "=", manifest.name)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks the app's row, and sees whether this version may follow. */
async function requireNext(
  transaction: Transaction<Tables>,
  { publisherId, manifest: { name, version } }: Publication,
): Promise<void> {
  const app = await transaction
    .updateTable("apps")
    .set((row) => ({ id: row.ref("id") })) // changes nothing: both databases lock a row that is written
    .where("id", "=", name)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (app.publisher_id !== publisherId) throw notOwner(name);
  const same = await transaction
    .selectFrom("app_versions")
    .select("version")
    .where("app_id", "=", name)
    .where("version", "=", version)
    .executeTakeFirst();
  if (same) throw new Fault("version_exists", `"${name}" ${version} is published already`);
  // Withdrawn versions do not count as newest: an attacker with a stolen key may have published 99.0.0.
  const newest = await newestOf(transaction, name);
  if (newest !== undefined && compareVersions(version, newest) <= 0)
    throw new Fault("version_not_newer", `"${name}" ${version} is not newer than ${newest}`);
}

async function newestOf(transaction: Transaction<Tables>, appId: string): Promise<string | undefined> {
  const row = await transaction
    .selectFrom("app_versions")
    .select("version")
    .where("app_id", "=", appId)
    .where("withdrawn_at", "is", null)
    .orderBy("version_order", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.version;
}

/** What the catalogue lists of the version; it is listed again where it was retracted. */
async function listing(
  transaction: Transaction<Tables>,
  { publisherId, manifest, bytes, iconSha256 }: Publication,
  publishedAt: number,
) {
  const { name, version, description } = manifest;
  const author = manifest.author || (await publisherName(transaction, publisherId));
  return {
    version,
    description,
    author,
    size_bytes: bytes.length,
    icon_sha256: iconSha256,
    search_text: searchText(name, description, author),
    published_at: publishedAt,
    retracted_at: null,
  };
}

async function publisherName(transaction: Transaction<Tables>, publisherId: string): Promise<string> {
  const { name } = await transaction
    .selectFrom("publishers")
    .select("name")
    .where("id", "=", publisherId)
    .executeTakeFirstOrThrow();
  return name;
}

function versionRow(
  { manifest, bytes, sha256, signature, publicKey, iconSha256 }: Publication,
  publishedAt: number,
): Row<"app_versions"> {
  return {
    app_id: manifest.name,
    version: manifest.version,
    version_order: versionOrder(manifest.version),
    sha256,
    size_bytes: bytes.length,
    signature,
    manifest: JSON.stringify(manifest),
    icon_sha256: iconSha256,
    published_at: publishedAt,
    public_key: publicKey,
    withdrawn_at: null,
  };
}

export function notOwner(appId: string): Fault {
  return new Fault("not_owner", `"${appId}" belongs to another publisher`);
}
