/** What the store's pages show, from the database: of listed apps alone, and of each list a bounded part. */
import { findApps, type ListedApps } from "../catalog/catalog-list.js";
import type { Row } from "../database/schema.js";
import type { HubServices } from "../services.js";
import type { FeedEntry, MappedApp } from "./feeds.js";

/** Versions on the page of an app. */
const VERSIONS_LIMIT = 20;

const FEED_LIMIT = 50;
/** Of the newest versions; those of retracted apps are left out of the feed. */
const FEED_CANDIDATES_LIMIT = 4 * FEED_LIMIT;

/** A sitemap has at most 50,000 addresses (sitemaps.org). */
const SITEMAP_LIMIT = 50_000 - 1;

type Services = Pick<HubServices, "appPages" | "catalog" | "database" | "dialect">;

export class StoreData {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  find(query: Parameters<typeof findApps>[1]): Promise<ListedApps> {
    return findApps(this.#services, query);
  }

  /** @throws {Fault} `app_not_found`, `app_retracted` */
  async app(id: string) {
    const app = await this.#services.catalog.requireApp(id);
    const [versions, screenshots] = await Promise.all([
      this.#versions(app.id),
      this.#services.appPages.screenshots(app.id),
    ]);
    return { app, versions, screenshots };
  }

  #versions(appId: string): Promise<readonly Row<"app_versions">[]> {
    return this.#services.database
      .selectFrom("app_versions")
      .selectAll()
      .where("app_id", "=", appId)
      .where("review", "is", null)
      .where("withdrawn_at", "is", null)
      .orderBy("version_order", "desc")
      .limit(VERSIONS_LIMIT)
      .execute();
  }

  /** New apps and versions, newest first. */
  async feed(): Promise<readonly FeedEntry[]> {
    const { database } = this.#services;
    const newest = database
      .selectFrom("app_versions")
      .select(["app_id", "version", "changelog", "published_at", "manifest"])
      .where("review", "is", null)
      .where("withdrawn_at", "is", null)
      .orderBy("published_at", "desc")
      .limit(FEED_CANDIDATES_LIMIT);
    const rows = await database
      .selectFrom(newest.as("newest"))
      .innerJoin("apps", "apps.id", "newest.app_id")
      .select(["app_id", "newest.version", "changelog", "newest.published_at", "manifest"])
      .select(["display_name", "author"])
      .where("retracted_at", "is", null)
      .orderBy("newest.published_at", "desc")
      .orderBy("app_id")
      .limit(FEED_LIMIT)
      .execute();
    return rows.map(({ app_id, display_name, manifest, ...rest }) => ({
      ...rest,
      id: app_id,
      name: display_name ?? app_id,
      description: JSON.parse(manifest).description,
    }));
  }

  /** Newest first. */
  sitemap(): Promise<readonly MappedApp[]> {
    return this.#services.database
      .selectFrom("apps")
      .select(["id", "published_at"])
      .where("retracted_at", "is", null)
      .orderBy("published_at", "desc")
      .limit(SITEMAP_LIMIT)
      .execute();
  }
}
