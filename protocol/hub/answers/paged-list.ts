/** Schemas of the hub's paged lists (docs/spec/hub-api.md#paging). */
import { integer, object, optional, type Schema, text } from "../../schema.js";

/** Of a long list. */
export const NEXT = optional(text("For `after`; missing on the last page"));

/** @param members the list itself, under its name */
/* @__NO_SIDE_EFFECTS__ */
export function pagedList<const Members extends Readonly<Record<string, Schema>>>(members: Members) {
  const total = integer("Of all pages");
  return object({ total, page: integer(), per_page: integer(), ...members });
}

/** @param members as of {@link pagedList} */
/* @__NO_SIDE_EFFECTS__ */
export function longPagedList<const Members extends Readonly<Record<string, Schema>>>(members: Members) {
  return pagedList({ next: NEXT, ...members });
}
