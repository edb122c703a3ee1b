/** Expressions by which lists of apps are sorted, the same in both databases. The indexes have them word for word. */
import { sql } from "kysely";
import type { Dialect } from "../database/schema.js";

export function orderOf(order: string, dialect: Dialect) {
  return order === "name" ? bytewise("coalesce(name_order, lower(id))", dialect) : sql.ref(order);
}

/** The locale of a PostgreSQL database would ignore dots and dashes. */
export function bytewise(expression: "id" | "coalesce(name_order, lower(id))", dialect: Dialect) {
  return sql`${sql.raw(expression)} collate ${sql.raw(dialect === "postgres" ? '"C"' : "binary")}`;
}
