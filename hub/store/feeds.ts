/** What programs read of the store: the feed (RFC 4287), the sitemap (sitemaps.org, protocol 0.9) and robots.txt (RFC 9309). */
import { isoTime } from "../api/answers.js";
import { Markup, markup } from "./html.js";
import { renderMarkdown } from "./markdown.js";

export interface FeedEntry {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly description: string;
  /** Markdown. */
  readonly changelog: string | null;
  readonly published_at: number;
}

/**
 * @param entries newest first
 * @param storeAddress absolute, ending in a slash
 */
export function atomFeed(entries: readonly FeedEntry[], storeAddress: string): Markup {
  const updated = isoTime(entries[0]?.published_at ?? 0);
  return markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>New apps and versions</title>
<id>${storeAddress}</id>
<link rel="self" type="application/atom+xml" href="${storeAddress}feed.xml"/>
<link rel="alternate" type="text/html" href="${storeAddress}"/>
<updated>${updated}</updated>
${entries.map((entry) => atomEntry(entry, storeAddress))}</feed>
`;
}

function atomEntry(entry: FeedEntry, storeAddress: string): Markup {
  const { id, name, version, author, description, changelog, published_at } = entry;
  const address = `${storeAddress}${encodeURIComponent(id)}`;
  return markup`<entry>
<title>${name} ${version}</title>
<id>${address}#${version}</id>
<link rel="alternate" type="text/html" href="${address}"/>
<updated>${isoTime(published_at)}</updated>
<author><name>${author}</name></author>
<summary>${description}</summary>
${
  changelog === null
    ? undefined
    : markup`<content type="html">${renderMarkdown(changelog, 3).text}</content>
`
}</entry>
`;
}

export interface MappedApp {
  readonly id: string;
  readonly published_at: number;
}

/** Stands for the store's address, which is that of the request, in a text that is made for all requests. */
const ADDRESS = "\u0000";

/** @returns a text for {@link mapAt} */
export function sitemap(apps: readonly MappedApp[]): string {
  const address = new Markup(ADDRESS);
  return markup`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${address}</loc></url>
${apps.map(
  ({ id, published_at }) =>
    markup`<url><loc>${address}${encodeURIComponent(id)}</loc><lastmod>${isoTime(published_at)}</lastmod></url>
`,
)}</urlset>
`.text;
}

/** @param storeAddress absolute, ending in a slash */
export function mapAt(storeAddress: string, map: string): string {
  return map.replaceAll(ADDRESS, () => markup`${storeAddress}`.text);
}

/**
 * Of a hub, programs that crawl may read the store and its pictures.
 * @param storeAddress absolute, ending in a slash
 */
export function robots(storeAddress: string): string {
  const hub = new URL("..", storeAddress).pathname; // ends in a slash
  return `User-agent: *\nAllow: ${hub}store/\nAllow: ${hub}api/v1/catalog/\nDisallow: ${hub}\n\nSitemap: ${storeAddress}sitemap.xml\n`;
}
