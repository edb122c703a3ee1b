/**
 * What a publisher tells of an app beside its package: a text, a category, links, screenshots, and what is new in each
 * version (docs/spec/hub-api.md#app-page). All of it comes from strangers: bounded here, and escaped where it is shown.
 */
import { createHash } from "node:crypto";
import type { Transaction } from "kysely";
import Type, { type Static } from "typebox";
import { Fault } from "../../protocol/fault.js";
import { oneOf } from "../../protocol/schema.js";
import type { HubContext } from "../context.js";
import type { Row, Tables } from "../database/schema.js";
import { deleteUnnamed, fileTransaction } from "../files/file-transaction.js";
import { type Catalog, IS_KEPT, retracted } from "./catalog.js";
import { CATEGORY_NAMES } from "./categories.js";
import { readScreenshot, type Screenshot } from "./screenshot-png.js";
import { indexApp } from "./search-words.js";

export const ABOUT_LIMIT_BYTES = 16 * 1024;
const CHANGELOG_LIMIT_BYTES = 4 * 1024;
export const SCREENSHOTS_LIMIT = 6;
const LINK_LIMIT_CHARACTERS = 256;
/** Versions whose changelogs a page has. */
const CHANGELOGS_LIMIT = 20;

/** Control characters, but for tab and line breaks, and halves of characters. */
const UNPRINTABLE = /[^\P{Cc}\t\n\r]|\p{Cs}/u;

const LINK = Type.String({
  maxLength: LINK_LIMIT_CHARACTERS,
  description: 'An `https` address; `""` for none',
});

export const PAGE_CHANGE = Type.Object({
  about: Type.Optional(Type.String({ description: 'Markdown, at most 16 KiB; `""` for none' })),
  category: Type.Optional(oneOf([...CATEGORY_NAMES, ""], '`""` for none')),
  homepage_url: Type.Optional(LINK),
  source_url: Type.Optional(LINK),
  changelog: Type.Optional(
    Type.String({ description: 'Markdown, at most 4 KiB: what is new in the version; `""` for none' }),
  ),
  version: Type.Optional(Type.String({ description: "Of the changelog; the newest by default" })),
});
export type PageChange = Static<typeof PAGE_CHANGE>;

export const APP_PAGE = Type.Object(
  {
    about: Type.String({ description: "Markdown" }),
    category: Type.String({ description: '`""` for none' }),
    homepage_url: Type.String(),
    source_url: Type.String(),
    screenshots: Type.Array(
      Type.Object({ url: Type.String(), width: Type.Integer(), height: Type.Integer() }),
    ),
    changelogs: Type.Array(Type.Object({ version: Type.String(), changelog: Type.String() }), {
      description: "Of the newest versions that have one, newest first",
    }),
  },
  { title: "AppPage" },
);
export type AppPage = Static<typeof APP_PAGE>;

export class AppPages {
  readonly #context: HubContext;
  readonly #catalog: Catalog;

  constructor(context: HubContext, catalog: Catalog) {
    this.#context = context;
    this.#catalog = catalog;
  }

  /**
   * @param app a row that the caller may read
   * @param address the API's base address, for the screenshots' addresses
   */
  async read(app: Row<"apps">, address: string): Promise<AppPage> {
    const { id, about, category, homepage_url, source_url } = app;
    const screenshots = await this.screenshots(id);
    const changelogs = await this.#context.database
      .selectFrom("app_versions")
      .select(["version", "changelog"])
      .where("app_id", "=", id)
      .where("review", "is", null)
      .where("withdrawn_at", "is", null)
      .where("changelog", "is not", null)
      .orderBy("version_order", "desc")
      .limit(CHANGELOGS_LIMIT)
      .execute();
    return {
      about: about ?? "",
      category: category ?? "",
      homepage_url: homepage_url ?? "",
      source_url: source_url ?? "",
      screenshots: screenshots.map(({ position, width, height }) => ({
        url: `${address}/catalog/${id}/screenshots/${position}`,
        width,
        height,
      })),
      changelogs: changelogs.map(({ version, changelog }) => ({ version, changelog: changelog ?? "" })),
    };
  }

  screenshots(appId: string): Promise<readonly Row<"app_screenshots">[]> {
    return this.#context.database
      .selectFrom("app_screenshots")
      .selectAll()
      .where("app_id", "=", appId)
      .orderBy("position")
      .execute();
  }

  /** @throws {Fault} `picture_not_found` */
  async requireScreenshot(appId: string, position: number): Promise<Row<"app_screenshots">> {
    const found = (await this.screenshots(appId)).find((each) => each.position === position);
    if (found) return found;
    throw new Fault("picture_not_found", `"${appId}" has no screenshot ${position}`);
  }

  /**
   * Omitted members stay unchanged.
   * @param owned a row of the caller's
   * @returns the app's row after the change
   * @throws {Fault} `bad_parameter`, `app_retracted`, `version_not_found`
   */
  async change(owned: Row<"apps">, change: PageChange): Promise<Row<"apps">> {
    const { changelog, version, ...texts } = change;
    requireText("about", change.about, ABOUT_LIMIT_BYTES);
    requireText("changelog", changelog, CHANGELOG_LIMIT_BYTES);
    requireLink("homepage_url", change.homepage_url);
    requireLink("source_url", change.source_url);
    const described =
      changelog === undefined ? undefined : await this.#catalog.requirePublished(owned, version);
    const columns = Object.fromEntries(
      Object.entries(texts).map(([name, value]) => [name, value === "" ? null : value]),
    );
    const write = async (transaction: Transaction<Tables>) => {
      const row = await transaction
        .updateTable("apps")
        .set({ ...pick(columns), id: owned.id })
        .where("id", "=", owned.id)
        .where(IS_KEPT)
        .returningAll()
        .executeTakeFirst();
      if (row && described)
        await transaction
          .updateTable("app_versions")
          .set({ changelog: changelog || null })
          .where("app_id", "=", owned.id)
          .where("version", "=", described.version)
          .execute();
      if (row && change.about !== undefined) await indexApp(transaction, row);
      return row;
    };
    const { database } = this.#context;
    const changed = await this.#catalog.clearingCaches(() => database.transaction().execute(write));
    if (!changed) throw retracted(owned.id);
    return changed;
  }

  /**
   * Stores screenshots in place of the earlier ones.
   * @param owned a row of the caller's
   * @param files PNGs, at most {@link SCREENSHOTS_LIMIT}; none to remove the earlier ones
   * @throws {Fault} `picture_invalid`, `app_retracted`, `storage_full`; then the earlier ones stay
   */
  async storeScreenshots(owned: Row<"apps">, files: readonly Uint8Array[]): Promise<void> {
    if (owned.retracted_at !== null && owned.is_unlisted === 0) throw retracted(owned.id);
    const read: Screenshot[] = [];
    for (const file of files) read.push(await readScreenshot(file)); // one at a time: each unpacks to megabytes
    const former = await this.screenshots(owned.id);
    await fileTransaction(this.#context, async (transaction, put) => {
      await transaction.deleteFrom("app_screenshots").where("app_id", "=", owned.id).execute();
      for (const [index, { png, width, height }] of read.entries()) {
        await transaction
          .insertInto("app_screenshots")
          .values({
            app_id: owned.id,
            position: index + 1,
            width,
            height,
            size_bytes: png.length,
            sha256: createHash("sha256").update(png).digest("hex"),
          })
          .execute();
        await put(png);
      }
    });
    await deleteUnnamed(
      this.#context,
      former.map(({ sha256 }) => sha256),
    );
  }
}

type PageColumns = Partial<Pick<Row<"apps">, "about" | "category" | "homepage_url" | "source_url">>;

function pick({ about, category, homepage_url, source_url }: Record<string, string | null>): PageColumns {
  return {
    ...(about !== undefined && { about }),
    ...(category !== undefined && { category }),
    ...(homepage_url !== undefined && { homepage_url }),
    ...(source_url !== undefined && { source_url }),
  };
}

function requireText(name: string, text: string | undefined, limitBytes: number): void {
  if (text === undefined) return;
  if (Buffer.byteLength(text) > limitBytes)
    throw new Fault("bad_parameter", `"${name}" is longer than ${limitBytes} bytes`);
  if (UNPRINTABLE.test(text)) throw new Fault("bad_parameter", `"${name}" has control characters`);
}

/** The address is shown as a link: nothing but a page that a browser opens over TLS. */
function requireLink(name: string, text: string | undefined): void {
  if (text === undefined || text === "") return;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === "https:" && url.username === "" && url.password === "";
  if (!isPlain || /[\s\p{C}]/u.test(text))
    throw new Fault("bad_parameter", `"${name}" is not an https address`);
}
