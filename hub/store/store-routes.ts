/**
 * The store's pages (docs/spec/hub-api.md#store), for people without an account and for search engines: plain HTML that is
 * made here, without scripts. There is a store only where the catalogue is public.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import type { Fault } from "../../protocol/fault.js";
import { oneOf } from "../../protocol/schema.js";
import { PAGE_MEMBERS } from "../api/answers.js";
import { Check, checkedQuery } from "../api/checks.js";
import { publicAddress } from "../api/public-address.js";
import { faultOf, refuse } from "../api/refusals.js";
import { CATALOG_QUERY } from "../catalog/catalog-list.js";
import { isHeld, sendUnchanged } from "../files/send-file.js";
import { addRedirect } from "../page/web-page.js";
import type { HubServices } from "../services.js";
import { appPage } from "./app-page.js";
import { atomFeed, mapAt, robots, sitemap } from "./feeds.js";
import { type Markup, markup } from "./html.js";
import { frontPage, listPage } from "./list-pages.js";
import { StoreData } from "./store-data.js";
import { framed } from "./store-frame.js";

const FRONT_APPS = 12;
const PER_PAGE = 24;
/** Later pages would have the database count through all that precede them. */
const PAGE_LIMIT = 1000;

/** The sitemap of 50,000 apps takes a tenth of a second. */
const SITEMAP_KEPT_MS = 10_000;

const LIST_QUERY = new Check(
  Type.Object({
    q: CATALOG_QUERY.properties.q,
    category: CATALOG_QUERY.properties.category,
    sort: Type.Optional(oneOf(["name", "-published_at", "-downloads"])),
    page: Type.Optional(Type.Integer({ ...PAGE_MEMBERS.page, maximum: PAGE_LIMIT })),
  }),
);
type ListQuery = Pick<Static<typeof CATALOG_QUERY>, "q" | "category" | "sort" | "page">;

/** Nothing runs in these pages, and nothing comes from elsewhere. */
const FIELDS = Object.freeze({
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-cache", // kept, and asked about each time: an app may be withdrawn
});

const HTML = "text/html; charset=utf-8";
const STYLES = ["../../web/styles/tokens.css", "../../web/styles/base.css", "store.css"];

type Answer = { readonly body: string; readonly mediaType: string };
type Page = (request: FastifyRequest) => Promise<Answer>;

/** @returns the paths of the pages; none without a public catalogue */
export async function addStore(server: FastifyInstance, services: HubServices): Promise<readonly string[]> {
  if (!services.config.hasPublicCatalog) return [];
  const pages = await storePages(services);
  for (const [at, page] of Object.entries(pages))
    server.get(at, { errorHandler: showError }, async (request, reply) =>
      send(request, reply, await page(request)),
    );
  return [...Object.keys(pages), addRedirect(server, "/store/")];
}

async function storePages(services: HubServices): Promise<Readonly<Record<string, Page>>> {
  const { config, searches } = services;
  const data = new StoreData(services);
  const styles = await Promise.all(
    STYLES.map((file) => readFile(path.join(import.meta.dirname, file), "utf8")),
  );
  const css = styles.join("\n");
  const icon = await readFile(path.join(import.meta.dirname, "icon.svg"), "utf8");
  const apiOf = (request: FastifyRequest) => publicAddress(config, request);
  const storeOf = (request: FastifyRequest) => `${apiOf(request).replace(/\/api\/v1$/, "")}/store/`;
  const map = new KeptBriefly(SITEMAP_KEPT_MS, async () => sitemap(await data.sitemap()));
  return {
    "/store/": async (request) => {
      const query = checkedQuery(request.query as string, LIST_QUERY) as ListQuery;
      if (query.q !== undefined) searches.take(request);
      return html(await showList(data, query, storeOf(request)));
    },
    "/store/:id": async (request) => {
      const { id } = request.params as { readonly id: string };
      const addresses = { storeAddress: storeOf(request), apiAddress: apiOf(request) };
      return html(appPage({ ...(await data.app(id)), ...addresses }));
    },
    "/store/feed.xml": async (request) => ({
      body: atomFeed(await data.feed(), storeOf(request)).text,
      mediaType: "application/atom+xml; charset=utf-8",
    }),
    "/store/sitemap.xml": async (request) => ({
      body: mapAt(storeOf(request), await map.get()),
      mediaType: "application/xml; charset=utf-8",
    }),
    "/store/~/store.css": async () => ({ body: css, mediaType: "text/css; charset=utf-8" }),
    "/store/~/icon.svg": async () => ({ body: icon, mediaType: "image/svg+xml" }),
    "/robots.txt": async (request) => ({
      body: robots(storeOf(request)),
      mediaType: "text/plain; charset=utf-8",
    }),
  };
}

async function showList(data: StoreData, query: ListQuery, address: string): Promise<Markup> {
  const { category, sort, page = 1 } = query;
  const q = query.q?.trim() || undefined;
  const isFront = q === undefined && category === undefined && sort === undefined && page === 1;
  if (isFront) {
    const [newest, mostDownloaded] = await Promise.all([
      data.find({ sort: "-published_at", per_page: FRONT_APPS }),
      data.find({ sort: "-downloads", per_page: FRONT_APPS }),
    ]);
    return frontPage({ newest, mostDownloaded, address });
  }
  const order = sort ?? (q === undefined ? "name" : "relevance");
  const found = await data.find({
    sort: order,
    page,
    per_page: PER_PAGE,
    ...(q !== undefined && { q }),
    ...(category !== undefined && { category }),
  });
  return listPage({ query: { q, category, sort, page }, found, perPage: PER_PAGE, address });
}

function html(page: Markup): Answer {
  return { body: page.text, mediaType: HTML };
}

function send(request: FastifyRequest, reply: FastifyReply, { body, mediaType }: Answer): FastifyReply {
  const etag = `"${createHash("sha256").update(body).digest("base64url")}"`;
  reply.headers({ ...FIELDS, etag });
  return isHeld(request.headers, etag) ? sendUnchanged(request, reply) : reply.type(mediaType).send(body);
}

/** People read these pages: a refusal is a page, too. A failure of the hub is answered and logged as everywhere. */
function showError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = faultOf(error);
  if (fault.status >= 500) return refuse(error, request, reply);
  const page = framed({
    title: `${titleOf(fault)} – App store`,
    description: "This page cannot be shown.",
    content: markup`<h1>${titleOf(fault)}</h1>
<p>${fault.message}.</p>
<p><a href="./">All apps</a></p>`,
  });
  const retryAfter = fault.details?.["retry_after_s"];
  if (retryAfter !== undefined) reply.header("retry-after", String(retryAfter));
  return reply.headers(FIELDS).code(fault.status).type(HTML).send(page.text);
}

function titleOf({ code }: Fault): string {
  if (code === "too_many_attempts") return "Please wait a moment";
  if (code === "app_not_found") return "There is no such app";
  return code === "app_retracted" ? "This app is no longer available" : "This address is not right";
}

/** A text that is expensive to make, and may be some seconds old. */
class KeptBriefly {
  readonly #keptMs: number;
  readonly #make: () => Promise<string>;
  #kept: { readonly untilMs: number; readonly text: Promise<string> } | undefined;

  constructor(keptMs: number, make: () => Promise<string>) {
    this.#keptMs = keptMs;
    this.#make = make;
  }

  get(): Promise<string> {
    const now = performance.now();
    if (this.#kept && this.#kept.untilMs > now) return this.#kept.text;
    const text = this.#make();
    this.#kept = { untilMs: now + this.#keptMs, text };
    text.catch(() => {
      this.#kept = undefined; // the next request tries again
    });
    return text;
  }
}
