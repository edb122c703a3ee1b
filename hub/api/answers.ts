/** Parts that many answers share: paged lists, times, and JSON bodies. */
import type { FastifyReply } from "fastify";
import type { SelectQueryBuilder } from "kysely";
import Type, { type Static } from "typebox";
import type { Tables } from "../database/schema.js";

const PER_PAGE = 20;
const PER_PAGE_LIMIT = 100;

/** Query parameters of every paged list (docs/spec/hub-api.md#paging), for rows that have further ones. */
export const PAGE_MEMBERS = Object.freeze({
  page: Type.Optional(Type.Integer({ minimum: 1, description: "Counts from 1, which is the default." })),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PER_PAGE_LIMIT,
      description: `Entries of a page; ${PER_PAGE} by default.`,
    }),
  ),
});

export const PAGE_QUERY = Type.Object(PAGE_MEMBERS);

export interface Page {
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
  /** Entries before this page; 0 after an entry. */
  readonly offset: number;
  /** See keyset.ts. */
  readonly after: string | undefined;
}

export function pageOf({
  page = 1,
  per_page: perPage = PER_PAGE,
  after,
}: Static<typeof PAGE_QUERY> & { readonly after?: string }): Page {
  return { page, perPage, offset: after === undefined ? (page - 1) * perPage : 0, after };
}

/**
 * The answer for a `pagedList` (protocol/hub/answers/paged-list.ts).
 * @param members the entries of this page, under the list's name
 * @param next of a long list: see keyset.ts
 */
export function pagedAnswer<Members extends object>(
  { page, perPage }: Page,
  total: number,
  members: Members,
  next?: string,
) {
  return { total, page, per_page: perPage, ...(next !== undefined && { next }), ...members };
}

/** Counts the rows of a query that selects no columns yet. */
export async function countRows<Name extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Name, object>,
): Promise<number> {
  const { total } = await query
    .select((row) => row.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return total;
}

/** ISO 8601, UTC. @param milliseconds since 1970 */
export function isoTime(milliseconds: number): string;
export function isoTime(milliseconds: number | null): string | null;
export function isoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/**
 * Sends JSON as bytes: to a text or an object the framework adds a charset, which JSON does not have (RFC 8259 §11).
 */
export function sendJson(reply: FastifyReply, json: string | Buffer): FastifyReply {
  return reply.type("application/json").send(typeof json === "string" ? Buffer.from(json) : json);
}
