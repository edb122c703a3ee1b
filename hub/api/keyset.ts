/**
 * Continuation of long lists (docs/spec/hub-api.md#paging-next): `next` of an answer stands for its last entry, and
 * `after` continues behind that entry, whatever was added or removed meanwhile. The database starts reading there,
 * where it would count through all entries before a page with a high number.
 */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import { PAGE_MEMBERS, type Page } from "./answers.js";

/** Longer than any list's key in base64url. */
const AFTER_LIMIT = 512;

export const LONG_PAGE_MEMBERS = Object.freeze({
  ...PAGE_MEMBERS,
  after: Type.Optional(
    Type.String({
      maxLength: AFTER_LIMIT,
      description: "`next` of another answer: continues behind it; `page` is ignored.",
    }),
  ),
});

export const LONG_PAGE_QUERY = Type.Object(LONG_PAGE_MEMBERS);

/** The columns by which a list is sorted, from its last entry. */
export type Key = readonly (string | number)[];

/**
 * The entry behind which the page begins.
 * @param types of the list's key
 * @returns `undefined` for a page by its number
 * @throws {Fault} `bad_parameter` unless it is `next` of a list with such a key
 */
export function keyBefore<Types extends readonly ("string" | "number")[]>(
  { after }: Page,
  ...types: Types
): KeyOf<Types> | undefined {
  if (after === undefined) return undefined;
  const key = parsed(after);
  const isKey =
    Array.isArray(key) &&
    key.length === types.length &&
    key.every(
      (part, index) =>
        typeof part === types[index] && (typeof part === "string" || Number.isSafeInteger(part)),
    );
  if (!isKey) throw new Fault("bad_parameter", '"after" must be "next" of an answer of this list');
  return key as unknown as KeyOf<Types>;
}

type KeyOf<Types extends readonly ("string" | "number")[]> = {
  readonly [Index in keyof Types]: Types[Index] extends "string" ? string : number;
};

function parsed(after: string): unknown {
  try {
    return JSON.parse(Buffer.from(after, "base64url").toString("utf8"));
  } catch {
    return undefined; // the caller reports it
  }
}

/** Rows to read for a page: one more than its entries shows whether there is a next page. */
export function rowsFor({ perPage }: Page): number {
  return perPage + 1;
}

/** @param rows at most {@link rowsFor} the page */
export function entriesOf<Row>(
  rows: readonly Row[],
  { perPage }: Page,
  keyOf: (row: Row) => Key,
): { readonly entries: readonly Row[]; readonly next: string | undefined } {
  const entries = rows.slice(0, perPage);
  const last = entries.at(-1);
  if (rows.length <= perPage || last === undefined) return { entries, next: undefined };
  return { entries, next: Buffer.from(JSON.stringify(keyOf(last))).toString("base64url") };
}
