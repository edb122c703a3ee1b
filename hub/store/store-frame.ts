/** What all pages of the store have around their content: head, search, and links that lead on. */
import { type Markup, markup } from "./html.js";

export interface StorePage {
  readonly title: string;
  /** For search engines and for pages that link here. */
  readonly description: string;
  /** Absolute address of the page; `undefined` for one that search engines are not to list. */
  readonly canonical?: string;
  /** Absolute address of a picture of it. */
  readonly image?: string;
  /** What was searched for. */
  readonly q?: string;
  readonly content: Markup;
}

/** Addresses are relative to `/store/`, so that a proxy may have the hub below any path. */
export function framed({ title, description, canonical, image, q, content }: StorePage): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${description}">
${canonical === undefined ? markup`<meta name="robots" content="noindex">` : canonicalTags(canonical)}
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${image === undefined ? undefined : markup`<meta property="og:image" content="${image}">`}
<link rel="icon" href="~/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="~/store.css">
<link rel="alternate" type="application/atom+xml" title="New apps and versions" href="feed.xml">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="store-header">
<a class="store-home" href="./">App store</a>
<form class="store-search" role="search" action="./" method="get">
<label class="unseen" for="q">Search apps</label>
<input class="input" id="q" name="q" type="search" value="${q ?? ""}" maxlength="128" placeholder="Search apps" autocomplete="off">
<button class="button" type="submit">Search</button>
</form>
</header>
<main class="main store-main" id="content">
${content}
</main>
<footer class="store-footer small muted">
<nav aria-label="More"><a href="feed.xml">Feed</a> <a href="../">Web console</a></nav>
</footer>
</body>
</html>
`;
}

function canonicalTags(address: string): Markup {
  return markup`<link rel="canonical" href="${address}">
<meta property="og:url" content="${address}">`;
}
