/** The catalogue of apps: publishing, lists and downloads. */

import { createHash } from "node:crypto";
import { sql, type Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import { hexadecimal } from "../../protocol/hexadecimal.js";
import type { AppRecord } from "../../protocol/hub/answers/catalog.js";
import { canonicalAppName, isSameApp } from "../../protocol/manifest/app-name.js";
import { TEXT_LIMIT_CHARACTERS } from "../../protocol/manifest/manifest.js";
import { readSignature } from "../../protocol/signature/signature-text.js";
import type { HubContext } from "../context.js";
import { isApp } from "../database/app-name.js";
import type { Row, Tables } from "../database/schema.js";
import type { Upload } from "../files/uploads.js";
import { checkPackage, requirePackage } from "../packages/check-package.js";
import type { Publishers } from "../publishers/publishers.js";
import { appRecord, nameColumns, searchText } from "./app-record.js";
import { CatalogCache, revisionOf } from "./catalog-cache.js";
import { type CatalogQuery, listApps, type TaggedList, taggedList } from "./catalog-list.js";
import { DownloadCounts } from "./download-counts.js";
import { newestVersion, notOwner, publishVersion } from "./publishing.js";
import { indexApp } from "./search-words.js";

/** Longest display name: it stands in lists and in titles. */
const NAME_LIMIT_CHARACTERS = 64;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

export interface CatalogOptions extends HubContext {
  readonly publishers: Publishers;
}

export interface OfferedVersion {
  readonly row: Row<"app_versions">;
  /** In transport format; `null` if the publisher has had no other key. */
  readonly succession: string | null;
}

/** What a publisher may change about an app without a new version. */
export interface AppChange {
  /** The display name; `""` for none. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly author?: string | undefined;
}

export class Catalog {
  readonly #options: CatalogOptions;
  readonly #lists: CatalogCache<TaggedList>;
  /** The same lists by the requests that they answer: see api/kept-answers.ts. */
  readonly #kept: CatalogCache<TaggedList>;
  /** What is downloaded, by app and version. */
  readonly #offered: CatalogCache<OfferedVersion>;
  readonly #downloads: DownloadCounts;

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#lists = new CatalogCache(options.otherWriters, revisionOf(options));
    this.#kept = new CatalogCache(options.otherWriters);
    // A package that was withdrawn a moment ago must not be sent.
    this.#offered = new CatalogCache({ stamp: () => options.otherWriters.freshStamp() });
    this.#downloads = new DownloadCounts(options);
  }

  /**
   * The list with its tag.
   * @param address the API's base address, for the icons' addresses
   * @param request under which the list is kept for {@link keptList}
   */
  list(query: CatalogQuery, address: string, request?: string): TaggedList | Promise<TaggedList> {
    const make = async () => taggedList(await listApps(this.#options, query, address));
    if (query.sort?.endsWith("downloads")) return make(); // downloads change without invalidating the cache
    const { page, per_page, q, sort, category } = query;
    const key = [page, per_page, sort, category, address, q].join("\n");
    if (request === undefined || this.#options.dialect === "postgres") return this.#lists.get(key, make);
    return this.#kept.get(request, async () => this.#lists.get(key, make));
  }

  /** The list that a request was answered with, if it has not changed since. */
  keptList(request: string): TaggedList | undefined {
    return this.#kept.peek(request);
  }

  /** @throws {Fault} `app_not_found`, `app_retracted` */
  async record(appId: string, address: string): Promise<AppRecord> {
    const app = await this.requireApp(appId);
    const versions = await this.#options.database
      .selectFrom("app_versions")
      .selectAll()
      .where("app_id", "=", app.id)
      .where("withdrawn_at", "is", null)
      .where("review", "is", null)
      .orderBy("version_order", "desc")
      .execute();
    return appRecord(app, versions, address);
  }

  /** The name of the app in the catalogue, for any spelling of it; without one, the name itself. */
  async spellingOf(name: string): Promise<string> {
    const app = await this.#find(name);
    return app?.id ?? name;
  }

  #find(appId: string): Promise<Row<"apps"> | undefined> {
    const { database, dialect } = this.#options;
    return database
      .selectFrom("apps")
      .selectAll()
      .where(isApp("id", appId, dialect))
      .executeTakeFirst();
  }

  /**
   * Finds a listed app, with its publisher's name.
   * @throws {Fault} `app_not_found`, `app_retracted`
   */
  async requireApp(appId: string): Promise<Row<"apps"> & { readonly publisher: string }> {
    const { database, dialect } = this.#options;
    const app = await database
      .selectFrom("apps")
      .innerJoin("publishers", "publishers.id", "apps.publisher_id")
      .selectAll("apps")
      .select("publishers.name as publisher")
      .where(isApp("apps.id", appId, dialect))
      .executeTakeFirst();
    if (app?.is_unlisted !== 0) throw notFound(appId);
    if (app.retracted_at !== null) throw retracted(appId);
    return app;
  }

  /**
   * Finds a version that can be installed.
   * @param version the newest by default
   * @throws {Fault} `app_not_found`, `app_retracted`, `version_not_found`
   */
  async requireVersion(appId: string, version?: string): Promise<Row<"app_versions">> {
    const app = await this.requireApp(appId);
    const wanted = version ?? app.version;
    const found = await this.#version(app.id, wanted);
    if (found?.review === null) return requireOffered(found);
    throw noVersion(app.id, wanted);
  }

  /**
   * A version to download, with the succession that leads to its key.
   * @param version the newest by default
   * @throws {Fault} as {@link requireVersion}
   */
  offered(appId: string, version?: string): OfferedVersion | Promise<OfferedVersion> {
    const name = canonicalAppName(appId);
    const key = version === undefined ? name : `${name} ${version}`;
    return this.#offered.get(key, async () => {
      const row = await this.requireVersion(appId, version);
      return { row, succession: await this.#succession(row) };
    });
  }

  /**
   * Finds a version for its publisher, also one that waits for review or was refused.
   * @param app a row of the caller's
   * @param version the newest by default
   * @throws {Fault} `app_retracted`, `version_not_found`
   */
  async requirePublished(app: Row<"apps">, version?: string): Promise<Row<"app_versions">> {
    if (app.retracted_at !== null && app.is_unlisted === 0) throw retracted(app.id);
    const found =
      version === undefined
        ? await newestVersion(this.#options.database, app.id, { isWaitingToo: true })
        : await this.#version(app.id, version);
    if (found) return requireOffered(found);
    throw noVersion(app.id, version ?? app.version);
  }

  #version(appId: string, version: string): Promise<Row<"app_versions"> | undefined> {
    return this.#options.database
      .selectFrom("app_versions")
      .selectAll()
      .where("app_id", "=", appId)
      .where("version", "=", version)
      .executeTakeFirst();
  }

  /** The succession that leads to the key that signed the version, in transport format; `null` for none. */
  async #succession({ app_id, public_key }: Row<"app_versions">): Promise<string | null> {
    const row = await this.#options.database
      .selectFrom("publisher_keys")
      .innerJoin("apps", "apps.publisher_id", "publisher_keys.publisher_id")
      .select("publisher_keys.succession")
      .where("apps.id", "=", app_id)
      .where("publisher_keys.public_key", "=", public_key)
      .executeTakeFirst();
    return row?.succession ?? null;
  }

  /** @throws {Fault} `app_not_found`, `not_owner` */
  async requireOwner(appId: string, publisherId: string): Promise<Row<"apps">> {
    const app = await this.#find(appId);
    if (!app) throw notFound(appId);
    if (app.publisher_id !== publisherId) throw notOwner(app.id);
    return app;
  }

  /**
   * Publishes an app, or a newer version of it. A retracted app is listed again.
   * @param appId the name that the package must have
   * @returns the app as this version describes it
   * @throws {Fault} for every reason for which a console would reject the package, and those of {@link publishVersion}
   */
  async publish(publisherId: string, { bytes, sha256, texts }: Upload, appId?: string): Promise<Row<"apps">> {
    requirePackage(bytes);
    const signature = texts["signature"]?.trimEnd(); // a signature read from a file ends with a line break
    const displayName = texts["name"]?.trim();
    if (displayName !== undefined) requireName(displayName);
    const publicKey = await this.#options.publishers.keys.requireSignature(publisherId, sha256, signature);
    const { manifest, icon } = await checkPackage(bytes, this.#options.config.maxPackageBytes);
    if (appId !== undefined && !isSameApp(manifest.name, appId)) throw otherName(manifest.name, appId);
    const upload = {
      publisherId,
      manifest,
      bytes,
      icon,
      sha256: hexadecimal(sha256),
      signature: hexadecimal(readSignature(signature)),
      publicKey: hexadecimal(publicKey),
      displayName,
      needsReview: this.#options.config.needsReview,
      iconSha256: icon ? createHash("sha256").update(icon).digest("hex") : null,
    };
    return this.clearingCaches(() => publishVersion(this.#options, upload));
  }

  /**
   * Omitted fields stay unchanged. The next version sets description and author again.
   * @throws {Fault} `app_not_found`, `not_owner`, `app_retracted`, `bad_parameter`
   */
  async change(appId: string, publisherId: string, change: AppChange): Promise<Row<"apps">> {
    const app = await this.requireOwner(appId, publisherId);
    const { description = app.description, author = app.author } = change;
    requireShort("description", description);
    requireShort("author", author);
    const name = change.name?.trim();
    if (name !== undefined) requireName(name);
    const changed = await this.#write(async (transaction) => {
      const row = await transaction
        .updateTable("apps")
        .set({
          description,
          author,
          search_text: searchText(app.id, description, author),
          ...(name !== undefined && nameColumns(name)),
        })
        .where("id", "=", app.id)
        .where(IS_KEPT)
        .returningAll()
        .executeTakeFirst();
      if (row) await indexApp(transaction, row);
      return row;
    });
    if (!changed) throw retracted(appId);
    return changed;
  }

  /** Removes the app from the lists; its name stays reserved. No-op if it is retracted. @throws {Fault} as `change` */
  async retract(appId: string, publisherId: string): Promise<void> {
    const { id } = await this.requireOwner(appId, publisherId);
    await this.#write(async (transaction) => {
      await transaction
        .updateTable("apps")
        .set({ retracted_at: this.#options.now(), is_unlisted: 0 })
        .where("id", "=", id)
        .where(IS_KEPT)
        .execute();
      await transaction.deleteFrom("app_words").where("app_id", "=", id).execute();
    });
  }

  /**
   * Calls `write`, which changes what lists contain or which versions are offered. It may have done so though it failed: a flush
   * comes after the commit.
   */
  async clearingCaches<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } finally {
      this.#lists.clear();
      this.#kept.clear();
      this.#offered.clear();
    }
  }

  #write<Result>(write: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.clearingCaches(() => this.#options.database.transaction().execute(write));
  }

  /** Counts a download in the background. */
  countDownload(appId: string): void {
    this.#downloads.count(appId);
  }

  /** Resolves when all downloads are counted. */
  close(): Promise<void> {
    return this.#downloads.close();
  }
}

function requireShort(name: string, text: string): void {
  if ([...text].length > TEXT_LIMIT_CHARACTERS)
    throw new Fault("bad_parameter", `"${name}" is longer than ${TEXT_LIMIT_CHARACTERS} characters`);
}

/** Rejects line breaks and other characters that a list cannot show. */
function requireName(name: string): void {
  if ([...name].length > NAME_LIMIT_CHARACTERS || UNPRINTABLE.test(name))
    throw new Fault(
      "bad_parameter",
      `"name" is longer than ${NAME_LIMIT_CHARACTERS} characters, or has control characters`,
    );
}

/** Its publisher has not retracted the app, which may still wait for its first review. */
export const IS_KEPT = sql<boolean>`(retracted_at is null or is_unlisted = 1)`;

/** @throws {Fault} `app_retracted` for a withdrawn version */
function requireOffered(version: Row<"app_versions">): Row<"app_versions"> {
  if (version.withdrawn_at === null) return version;
  throw new Fault("app_retracted", `"${version.app_id}" ${version.version} has been withdrawn`);
}

function noVersion(appId: string, version: string): Fault {
  return new Fault("version_not_found", `"${appId}" has no version "${version}"`);
}

function notFound(appId: string): Fault {
  return new Fault("app_not_found", `No app is named "${appId}"`);
}

export function retracted(appId: string): Fault {
  return new Fault("app_retracted", `"${appId}" has been retracted`);
}

function otherName(name: string, appId: string): Fault {
  return new Fault("manifest_invalid", `Cannot accept a package named "${name}" for "${appId}"`, {
    details: { field: "name" },
  });
}
