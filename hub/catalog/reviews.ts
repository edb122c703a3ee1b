/**
 * Review before listing (docs/spec/hub-api.md#review): with `SVC_HUB_REVIEW` a published version waits until the operator
 * accepts it, and until then is offered to nobody. The operator decides in the hub's environment, outside of its
 * processes, so each decision is one transaction.
 */
import { sql, type Transaction } from "kysely";
import { Fault } from "../../protocol/fault.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { compareVersions } from "../../protocol/version.js";
import { isoTime } from "../api/answers.js";
import type { HubContext } from "../context.js";
import type { Row, Tables } from "../database/schema.js";
import { listNewest } from "../publishers/withdrawal.js";
import { retracted } from "./catalog.js";
import { lockApp } from "./publishing.js";

/** Versions that a list shows. */
const LIST_LIMIT = 1000;
const REASON_LIMIT_CHARACTERS = 500;

export interface WaitingVersion {
  readonly app_id: string;
  readonly version: string;
  readonly publisher: string;
  readonly published_at: string;
  readonly description: string;
  readonly capabilities: readonly string[];
  /** The consoles that it is for; `generic` for all. */
  readonly target_arch: Manifest["target_arch"];
  /** Of the package, also the name of its file in the storage. */
  readonly sha256: string;
}

/** The publisher has not retracted the app since the version was published. */
const IS_WANTED = sql<boolean>`(apps.retracted_at is null or apps.is_unlisted = 1
  or apps.retracted_at < app_versions.published_at)`;

export class Reviews {
  readonly #context: Pick<HubContext, "database" | "dialect" | "now">;

  constructor(context: Pick<HubContext, "database" | "dialect" | "now">) {
    this.#context = context;
  }

  /** The versions that wait, oldest first; at most a thousand. */
  async list(): Promise<readonly WaitingVersion[]> {
    const rows = await this.#context.database
      .selectFrom("app_versions")
      .innerJoin("apps", "apps.id", "app_versions.app_id")
      .innerJoin("publishers", "publishers.id", "apps.publisher_id")
      .selectAll("app_versions")
      .select("publishers.name as publisher")
      .where("review", "=", sql.lit("waiting"))
      .where("withdrawn_at", "is", null)
      .where(IS_WANTED)
      .orderBy("app_versions.published_at")
      .limit(LIST_LIMIT)
      .execute();
    return rows.map(({ app_id, version, publisher, published_at, manifest, sha256 }) => {
      const { description, capabilities, target_arch }: Manifest = JSON.parse(manifest);
      return {
        app_id,
        version,
        publisher,
        published_at: isoTime(published_at),
        description,
        capabilities,
        target_arch,
        sha256,
      };
    });
  }

  /**
   * Offers a version from now on; one that was refused, too. No-op for a version that is offered.
   * @throws {Fault} `version_not_found`, `app_retracted` if its publisher has retracted the app or it was withdrawn
   */
  async accept(appId: string, version: string): Promise<void> {
    await this.#decide(appId, version, async (transaction, app, row) => {
      if (row.review === null) return;
      await setReview(transaction, row, { review: null, review_reason: null });
      const isFirst = app.retracted_at !== null;
      if (isFirst)
        await transaction
          .updateTable("apps")
          .set({ retracted_at: null, is_unlisted: 0 })
          .where("id", "=", app.id)
          .execute();
      // An older version than the listed one does not change what the publisher has said of the app since.
      if (isFirst || compareVersions(version, app.version) > 0)
        await listNewest(transaction, app.id, this.#context.now());
    });
  }

  /**
   * The version stays unlisted, and its publisher can read why.
   * @param reason `""` for none
   * @throws {Fault} as `accept`, and `version_exists` for a version that is offered already
   */
  async refuse(appId: string, version: string, reason: string): Promise<void> {
    if ([...reason].length > REASON_LIMIT_CHARACTERS)
      throw new Fault("bad_parameter", `The reason is longer than ${REASON_LIMIT_CHARACTERS} characters`);
    await this.#decide(appId, version, async (transaction, _app, row) => {
      if (row.review === null)
        throw new Fault("version_exists", `Cannot refuse "${appId}" ${version}: it is listed already`);
      await setReview(transaction, row, { review: "refused", review_reason: reason || null });
    });
  }

  async #decide(
    appId: string,
    version: string,
    decide: (transaction: Transaction<Tables>, app: Row<"apps">, row: Row<"app_versions">) => Promise<void>,
  ): Promise<void> {
    const { database, dialect } = this.#context;
    await database.transaction().execute(async (transaction) => {
      const app = await lockApp(transaction, dialect, appId);
      const row = await transaction
        .selectFrom("app_versions")
        .selectAll()
        .where("app_id", "=", app?.id ?? appId)
        .where("version", "=", version)
        .executeTakeFirst();
      if (!app || !row) throw new Fault("version_not_found", `There is no version ${version} of "${appId}"`);
      const isRetracted =
        app.retracted_at !== null && app.is_unlisted === 0 && app.retracted_at >= row.published_at;
      if (isRetracted) throw retracted(appId);
      if (row.withdrawn_at !== null)
        throw new Fault("app_retracted", `"${appId}" ${version} has been withdrawn`);
      await decide(transaction, app, row);
    });
  }
}

async function setReview(
  transaction: Transaction<Tables>,
  { app_id, version }: Row<"app_versions">,
  change: Pick<Row<"app_versions">, "review" | "review_reason">,
): Promise<void> {
  await transaction
    .updateTable("app_versions")
    .set(change)
    .where("app_id", "=", app_id)
    .where("version", "=", version)
    .execute();
}
