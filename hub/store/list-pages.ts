/** The store's front page, and its pages of search results and of categories. */

import type { ListedApps } from "../catalog/catalog-list.js";
import { CATEGORIES, CATEGORY_NAMES, type Category } from "../catalog/categories.js";
import type { Row } from "../database/schema.js";
import { type Markup, markup } from "./html.js";
import { framed } from "./store-frame.js";
import { bytesText, countText } from "./words.js";

export interface FrontPage {
  readonly newest: ListedApps;
  readonly mostDownloaded: ListedApps;
  /** Absolute address of the front page. */
  readonly address: string;
}

export function frontPage({ newest, mostDownloaded, address }: FrontPage): Markup {
  const content = markup`<h1>App store</h1>
<p>${newest.total === 0 ? "No app is published yet." : `${countText(newest.total, "app")} for your console.`}</p>
${categoryLinks(undefined)}
${section("Newest", newest.rows, "?sort=-published_at")}
${section("Most downloaded", mostDownloaded.rows, "?sort=-downloads")}`;
  return framed({ title: "App store", description: "Apps for your console.", canonical: address, content });
}

function section(title: string, apps: readonly Row<"apps">[], more: string): Markup | undefined {
  if (apps.length === 0) return undefined;
  return markup`<section class="stack">
<h2>${title}</h2>
${appList(apps)}
<p><a href="${more}">All apps, ${title.toLowerCase()} first</a></p>
</section>`;
}

interface ListQuery {
  readonly q?: string | undefined;
  readonly category?: Category | undefined;
  readonly sort?: string | undefined;
  readonly page: number;
}

export interface ListPage {
  readonly query: ListQuery;
  readonly found: ListedApps;
  readonly perPage: number;
  /** Absolute address of the front page. */
  readonly address: string;
}

export function listPage({ query, found: { total, rows }, perPage, address }: ListPage): Markup {
  const { q, category, page } = query;
  const title = titleOf(query);
  const last = Math.max(1, Math.ceil(total / perPage));
  const content = markup`<h1>${title}</h1>
${categoryLinks(category)}
<p role="status">${total === 0 ? "No app was found." : countText(total, "app")}</p>
${rows.length > 0 ? markup`<section><h2 class="unseen">Apps</h2>${appList(rows)}</section>` : undefined}
${last > 1 ? pageLinks(query, last) : undefined}`;
  return framed({
    title: `${title} – App store`,
    description: `${title}: apps for your console.`,
    // Search engines are to list categories and apps, not what someone has searched for.
    ...(q === undefined && page === 1 && { canonical: `${address}${search({ ...query, page: 1 })}` }),
    ...(q !== undefined && { q }),
    content,
  });
}

function titleOf({ q, category, sort }: ListQuery): string {
  const where = category === undefined ? "" : ` in ${CATEGORIES[category]}`;
  if (q !== undefined) return `Apps for “${q}”${where}`;
  if (category !== undefined) return CATEGORIES[category];
  return sort === "-downloads"
    ? "Most downloaded apps"
    : sort === "-published_at"
      ? "Newest apps"
      : "All apps";
}

function categoryLinks(current: Category | undefined): Markup {
  const links = CATEGORY_NAMES.map(
    (name) => markup`<li><a href="?category=${name}"${
      name === current ? markup` aria-current="page"` : undefined
    }>${CATEGORIES[name]}</a></li>
`,
  );
  return markup`<nav aria-label="Categories"><ul class="store-categories">
${links}</ul></nav>`;
}

function pageLinks(query: ListQuery, last: number): Markup {
  const { page } = query;
  const link = (to: number, text: string) =>
    to >= 1 && to <= last ? markup`<a href="${search({ ...query, page: to })}">${text}</a>` : undefined;
  return markup`<nav class="row" aria-label="Pages">
${link(page - 1, "Previous page")}
<span>Page ${page} of ${last}</span>
${link(page + 1, "Next page")}
</nav>`;
}

function search({ page, ...query }: ListQuery): string {
  const given = Object.entries({ ...query, ...(page > 1 && { page: String(page) }) });
  const text = String(
    new URLSearchParams(given.filter((entry): entry is [string, string] => entry[1] !== undefined)),
  );
  return text === "" ? "./" : `?${text}`;
}

function appList(apps: readonly Row<"apps">[]): Markup {
  return markup`<ul class="store-list">
${apps.map(appCard)}</ul>`;
}

function appCard(app: Row<"apps">): Markup {
  const { id, display_name, version, description, author, size_bytes } = app;
  return markup`<li class="card store-card">
${iconOf(app)}
<div>
<h3><a class="store-open" href="${encodeURIComponent(id)}"><bdi>${display_name ?? id}</bdi></a> <span class="small muted">${version}</span></h3>
${description === "" ? undefined : markup`<p><bdi>${description}</bdi></p>`}
<p class="small muted">by <bdi>${author}</bdi>, ${bytesText(size_bytes)}</p>
</div>
</li>
`;
}

/** A picture beside the name, which says what it shows. */
export function iconOf({ id, icon_sha256 }: Pick<Row<"apps">, "id" | "icon_sha256">): Markup {
  if (icon_sha256 === null) return markup`<span class="store-icon" aria-hidden="true"></span>`;
  return markup`<img class="store-icon" src="../api/v1/catalog/${encodeURIComponent(id)}/icon" alt="" width="32" height="32">`;
}
