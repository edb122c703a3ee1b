/**
 * Publishes a version of an app in one transaction. The publisher that inserts the app's row first owns its name. The
 * row is locked while versions are compared, so that exactly one of two concurrent uploads succeeds. Files are stored
 * last, once the upload can no longer fail: a rejected upload writes none.
 */
import type { Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { compareVersions } from "../../protocol/version.js";
import type { HubContext } from "../context.js";
import { isApp } from "../database/app-name.js";
import type { Database, Dialect, Row, Tables } from "../database/schema.js";
import { versionOrder } from "../database/version-order.js";
import { fileTransaction } from "../files/file-transaction.js";
import { requireActivePublisher } from "../publishers/publisher-rights.js";
import { nameColumns, searchText } from "./app-record.js";
import { indexApp } from "./search-words.js";

export interface Publication {
  readonly publisherId: string;
  readonly manifest: Manifest;
  readonly bytes: Uint8Array;
  /** Of `bytes`, in hexadecimal. */
  readonly sha256: string;
  /** 128 hexadecimal digits. */
  readonly signature: string;
  /** The key of the signature, 64 hexadecimal digits. */
  readonly publicKey: string;
  readonly icon: Uint8Array | undefined;
  /** Of the icon, in hexadecimal. */
  readonly iconSha256: string | null;
  /** `""` for none; `undefined` to keep the present one. */
  readonly displayName: string | undefined;
  /** Whether it is offered only once the operator has accepted it (reviews.ts). */
  readonly needsReview: boolean;
}

/**
 * @returns the app as this version describes it, which the catalogue may not list yet
 * @throws {Fault} `not_owner`, `version_exists`, `version_not_newer`, `storage_full`; nothing is stored then
 */
export async function publishVersion(
  context: Pick<HubContext, "database" | "files" | "dialect" | "logger" | "now">,
  publication: Publication,
): Promise<Row<"apps">> {
  const version = versionRow(publication, context.now());
  return fileTransaction(context, async (transaction, put) => {
    const publisher = await requireActivePublisher(transaction, publication.publisherId, version.public_key);
    const { displayName } = publication;
    const names = displayName === undefined ? {} : nameColumns(displayName);
    const app = await upsertApp(transaction, context.dialect, publisher, version, names);
    const row = { ...version, app_id: app.id }; // the first version has spelled the name
    await transaction.insertInto("app_versions").values(row).execute();
    await indexApp(transaction, app);
    await put(publication.bytes);
    if (publication.icon) await put(publication.icon);
    return { ...app, ...listingOf(row, publisher.name) };
  });
}

async function upsertApp(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  publisher: Row<"publishers">,
  row: Row<"app_versions">,
  names: Partial<ReturnType<typeof nameColumns>>,
): Promise<Row<"apps">> {
  const waits = row.review !== null;
  const listing = {
    ...listingOf(row, publisher.name),
    ...names,
    retracted_at: waits ? row.published_at : null,
    is_unlisted: waits ? 1 : 0, // a retracted app is listed again
  };
  const added = await transaction
    .insertInto("apps")
    .values({ id: row.app_id, publisher_id: publisher.id, ...listing })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (added) return added;
  const before = await requireNext(transaction, dialect, publisher, row);
  // An app that is listed, or that was, stays as it is until this version is accepted.
  const changes = waits && before.is_unlisted === 0 ? names : listing;
  if (Object.keys(changes).length === 0) return before;
  return transaction
    .updateTable("apps")
    .set(changes)
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks the app's row until the transaction ends. @returns `undefined` if there is no such app */
export function lockApp(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  appId: string,
): Promise<Row<"apps"> | undefined> {
  return transaction
    .updateTable("apps")
    .set((row) => ({ id: row.ref("id") })) // changes nothing: both databases lock a row that is written
    .where(isApp("id", appId, dialect))
    .returningAll()
    .executeTakeFirst();
}

/** Locks the app's row, and checks that this version may follow. */
async function requireNext(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  publisher: Row<"publishers">,
  { app_id, version }: Row<"app_versions">,
): Promise<Row<"apps">> {
  const app = await lockApp(transaction, dialect, app_id);
  if (!app) throw new Error(`"${app_id}" was there a moment ago`); // rows of apps are never deleted
  const name = app.id;
  if (app.publisher_id !== publisher.id) throw notOwner(name);
  const same = await transaction
    .selectFrom("app_versions")
    .select("version")
    .where("app_id", "=", name)
    .where("version", "=", version)
    .executeTakeFirst();
  if (same) throw new Fault("version_exists", `"${name}" ${version} is published already`);
  // Withdrawn and refused versions do not count as newest: an attacker with a stolen key may have published 99.0.0.
  const newest = await newestVersion(transaction, name, { isWaitingToo: true });
  if (newest && compareVersions(version, newest.version) <= 0)
    throw new Fault("version_not_newer", `"${name}" ${version} is not newer than ${newest.version}`);
  return app;
}

/** Ignores versions that are withdrawn or refused, and, unless wanted, those that wait for review. */
export function newestVersion(
  database: Database,
  appId: string,
  { isWaitingToo = false }: { readonly isWaitingToo?: boolean } = {},
): Promise<Row<"app_versions"> | undefined> {
  return database
    .selectFrom("app_versions")
    .selectAll()
    .where("app_id", "=", appId)
    .where("withdrawn_at", "is", null)
    .where((row) =>
      isWaitingToo
        ? row.or([row("review", "is", null), row("review", "=", "waiting")])
        : row("review", "is", null),
    )
    .orderBy("version_order", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** The columns of an app's row that describe the version in the catalogue. */
export function listingOf(row: Row<"app_versions">, publisherName: string) {
  const { app_id, version, size_bytes, icon_sha256, published_at } = row;
  const manifest: Manifest = JSON.parse(row.manifest);
  const { description } = manifest;
  const author = manifest.author || publisherName;
  return {
    version,
    description,
    author,
    size_bytes,
    icon_sha256,
    published_at,
    search_text: searchText(app_id, description, author),
  };
}

function versionRow(
  { manifest, bytes, sha256, signature, publicKey, iconSha256, needsReview }: Publication,
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
    lines_sha256: null,
    changelog: null,
    review: needsReview ? "waiting" : null,
    review_reason: null,
  };
}

export function notOwner(appId: string): Fault {
  return new Fault("not_owner", `"${appId}" belongs to another publisher`);
}
