/** The store's page of one app. */
import { CAPABILITIES } from "../../protocol/capabilities.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { CATEGORIES, categoryOf } from "../catalog/categories.js";
import type { Row } from "../database/schema.js";
import { type Markup, markup } from "./html.js";
import { iconOf } from "./list-pages.js";
import { renderMarkdown } from "./markdown.js";
import { framed } from "./store-frame.js";
import { bytesText, countText, dayText } from "./words.js";

export interface ShownApp {
  readonly app: Row<"apps"> & { readonly publisher: string };
  /** Newest first; not all of them. */
  readonly versions: readonly Row<"app_versions">[];
  readonly screenshots: readonly Row<"app_screenshots">[];
  /** Absolute address of the store, ending in a slash. */
  readonly storeAddress: string;
  /** Absolute address of the API. */
  readonly apiAddress: string;
}

export function appPage(shown: ShownApp): Markup {
  const { app, screenshots, storeAddress, apiAddress } = shown;
  const target = targetOf(shown);
  const { id, display_name, description, author, about } = app;
  const name = display_name ?? id;
  const path = encodeURIComponent(id);
  const content = markup`<article class="stack">
<div class="store-title">
${iconOf(app)}
<div>
<h1><bdi>${name}</bdi></h1>
<p class="muted">by <bdi>${author}</bdi></p>
</div>
</div>
${description === "" ? undefined : markup`<p><bdi>${description}</bdi></p>`}
<p class="row">
<a class="button primary" href="../#store/${path}">Install</a>
${
  target === "generic"
    ? markup`<a class="button" href="../play/#store=${path}">Play in this browser</a>
`
    : undefined
}</p>
${screenshotList(shown, name)}
${about === null ? undefined : markup`<section><h2>About</h2><div class="store-text">${renderMarkdown(about, 2)}</div></section>`}
<div class="columns">
${factsOf(shown)}
${capabilitiesOf(shown)}
</div>
${changesOf(shown)}
${versionsOf(shown)}
</article>`;
  return framed({
    title: `${name} – App store`,
    description: description || `An app for your console, by ${author}.`,
    canonical: `${storeAddress}${path}`,
    ...(screenshots.length > 0 && { image: `${apiAddress}/catalog/${path}/screenshots/1` }),
    content,
  });
}

function screenshotList({ app: { id }, screenshots }: ShownApp, name: string): Markup | undefined {
  if (screenshots.length === 0) return undefined;
  const pictures = screenshots.map(({ position, width, height }) => {
    const address = `../api/v1/catalog/${encodeURIComponent(id)}/screenshots/${position}`;
    return markup`<li><a href="${address}"><img src="${address}" width="${width}" height="${height}" alt="Screenshot ${position} of ${name}" loading="lazy"></a></li>
`;
  });
  return markup`<section><h2 class="unseen">Screenshots</h2><ul class="store-screenshots">
${pictures}</ul></section>`;
}

/** The consoles that the newest version is for; a browser runs what is for all (docs/spec/web-player.md#package). */
function targetOf(shown: ShownApp): Manifest["target_arch"] {
  return newestManifest(shown)?.target_arch ?? "generic";
}

function newestManifest({
  app,
  versions,
}: ShownApp): Pick<Manifest, "capabilities" | "target_arch"> | undefined {
  const newest = versions.find(({ version }) => version === app.version);
  return newest && JSON.parse(newest.manifest);
}

function factsOf(shown: ShownApp): Markup {
  const { app } = shown;
  const target = targetOf(shown);
  const { version, published_at, size_bytes, downloads, publisher, homepage_url, source_url } = app;
  const category = categoryOf(app.category);
  const fact = (name: string, value: Markup | string) => markup`<dt>${name}</dt><dd>${value}</dd>
`;
  return markup`<section class="card"><h2>Facts</h2><dl class="store-facts">
${fact("Version", version)}
${fact("Published", time(published_at))}
${fact("Size", bytesText(size_bytes))}
${target === "generic" ? undefined : fact("Runs on", `consoles of the architecture ${target} alone`)}
${fact("Downloads", downloads.toLocaleString("en-US"))}
${category && fact("Category", markup`<a href="./?category=${category}">${CATEGORIES[category]}</a>`)}
${fact("Publisher", markup`<bdi>${publisher}</bdi>`)}
${homepage_url === null ? undefined : fact("Homepage", outside(homepage_url))}
${source_url === null ? undefined : fact("Source code", outside(source_url))}
</dl></section>`;
}

function outside(address: string): Markup {
  return markup`<a href="${address}" rel="nofollow noopener ugc">${address}</a>`;
}

function time(milliseconds: number): Markup {
  const date = new Date(milliseconds).toISOString();
  return markup`<time datetime="${date}">${dayText(milliseconds)}</time>`;
}

function capabilitiesOf(shown: ShownApp): Markup {
  const capabilities = newestManifest(shown)?.capabilities ?? [];
  const words = CAPABILITIES.filter(({ name }) => capabilities.includes(name));
  return markup`<section class="card"><h2>What it may do</h2>
${
  words.length === 0
    ? markup`<p>It needs no capability of the console.</p>`
    : markup`<ul class="store-may">
${words.map(({ summary }) => markup`<li>${summary}</li>\n`)}</ul>`
}</section>`;
}

function changesOf({ versions }: ShownApp): Markup | undefined {
  const changed = versions.filter(({ changelog }) => changelog !== null);
  if (changed.length === 0) return undefined;
  return markup`<section><h2>What is new</h2>
${changed.map(
  ({
    version,
    published_at,
    changelog,
  }) => markup`<h3>${version} <span class="small muted">${time(published_at)}</span></h3>
<div class="store-text">${renderMarkdown(changelog ?? "", 3)}</div>
`,
)}</section>`;
}

function versionsOf({ app: { id }, versions }: ShownApp): Markup {
  const rows = versions.map(({ version, published_at, size_bytes }) => {
    const address = `../api/v1/catalog/${encodeURIComponent(id)}/download?version=${version}`;
    return markup`<li><a href="${address}" rel="nofollow">${id} ${version}</a> <span class="small muted">${bytesText(size_bytes)}, ${time(published_at)}</span></li>
`;
  });
  return markup`<section><h2>${versions.length > 1 ? `The newest ${countText(versions.length, "version")}` : "Package"}</h2><ul class="store-versions">
${rows}</ul></section>`;
}
