/**
 * Names of apps as the databases compare them: without regard to case (docs/spec/app-packages.md#app-name). Queries and
 * indexes use these words, as those of `device-order.ts`.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { canonicalAppName } from "../../protocol/manifest/app-name.js";
import type { Dialect } from "./schema.js";

/** A column, or an expression of SQL that gives a name. */
type NameColumn = "id" | "apps.id" | "app_id" | "(app.value ->> 'name')";

/** The canonical form of the name in a column. */
export function canonicalColumn(column: NameColumn, dialect: Dialect): RawBuilder<string> {
  return sql.raw(dialect === "sqlite" ? `lower(${column})` : `(lower(${column} collate "C"))`);
}

/** Whether the column has a spelling of this name. */
export function isApp(column: NameColumn, name: string, dialect: Dialect): RawBuilder<SqlBool> {
  return sql<SqlBool>`${canonicalColumn(column, dialect)} = ${canonicalAppName(name)}`;
}
