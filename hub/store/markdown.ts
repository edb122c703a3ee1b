/**
 * Markdown of publishers as HTML. It is CommonMark without what could act in a page: HTML is text, a link leads to an
 * `http` or `https` address and passes nothing on, and a picture is its description. Headings come below those of the page.
 *
 * The worst of 16 KiB that the tests know takes a tenth of a second (nested brackets), so what was rendered is kept.
 */
import { createHash } from "node:crypto";
import MarkdownIt from "markdown-it";
import { RecentMap } from "../recent-map.js";
import { Markup } from "./html.js";

/** Rendered texts that a process keeps; the largest have some hundred kilobytes. */
const KEPT_LIMIT = 256;

const MOST_HEADING = 6;

const parser = new MarkdownIt("commonmark", { html: false, xhtmlOut: false });
parser.validateLink = (address) => /^https?:\/\//i.test(address);
parser.renderer.rules["image"] = (tokens, index) => parser.utils.escapeHtml(tokens[index]?.content ?? "");
parser.renderer.rules["link_open"] = (tokens, index, options, _environment, renderer) => {
  tokens[index]?.attrSet("rel", "nofollow noopener ugc");
  return renderer.renderToken(tokens, index, options);
};

const kept = new RecentMap<string, Markup>(KEPT_LIMIT);

/** @param below level of the heading that the text stands under */
export function renderMarkdown(text: string, below: number): Markup {
  const key = `${below} ${createHash("sha256").update(text).digest("base64url")}`;
  const known = kept.get(key);
  if (known) return known;
  const tokens = parser.parse(text, {});
  for (const token of tokens) if (/^h[1-6]$/.test(token.tag)) token.tag = lowered(token.tag, below);
  const rendered = new Markup(parser.renderer.render(tokens, parser.options, {}));
  kept.set(key, rendered);
  return rendered;
}

function lowered(tag: string, below: number): string {
  return `h${Math.min(MOST_HEADING, Number(tag.slice(1)) + below)}`;
}
