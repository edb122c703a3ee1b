/** Paged lists: docs/spec/hub-api.md#paging defines the catalogue's pages, and every other list follows it. */
import Type, { type Static } from "typebox";

const PER_PAGE = 20;
const PER_PAGE_LIMIT = 100;

/** Members of a query, for rows that have others, too. */
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
  readonly page: number;
  readonly perPage: number;
  /** Entries before it. */
  readonly offset: number;
}

export function pageOf({ page = 1, per_page: perPage = PER_PAGE }: Static<typeof PAGE_QUERY>): Page {
  return { page, perPage, offset: (page - 1) * perPage };
}
