/**
 * How lists of consoles are sorted, as expressions of SQL. Queries and indexes use these words: the databases use an
 * index for no others, so that a released expression never changes.
 */
import { type RawBuilder, sql } from "kysely";
import type { Dialect } from "./schema.js";

/** The name, without regard to the case of A to Z: the databases fold no further letters in the same way. */
export function nameOrder(dialect: Dialect): RawBuilder<string> {
  return sql.raw(dialect === "sqlite" ? "lower(name)" : '(lower(name collate "C"))');
}

/** The time of the last sign of the console, 0 for none. */
export function seenOrder(): RawBuilder<number> {
  return sql.raw("(coalesce(last_seen_at, 0))");
}

/** As `versionOrder` writes a version. Takes any text, since an expression of an index must not fail. */
export function firmwareOrder(dialect: Dialect): RawBuilder<string> {
  const parts = dialect === "sqlite" ? SQLITE_PARTS : POSTGRES_PARTS;
  return sql.raw(`(${parts.join(" || '.' || ")})`);
}

const DIGITS = 9;
const ZEROS = "0".repeat(DIGITS);
const REST = "substr(firmware_version, instr(firmware_version, '.') + 1)";

const SQLITE_PARTS = [
  "substr(firmware_version, 1, instr(firmware_version, '.') - 1)",
  `substr(${REST}, 1, instr(${REST}, '.') - 1)`,
  `substr(${REST}, instr(${REST}, '.') + 1)`,
].map((part) => `substr('${ZEROS}' || ${part}, -${DIGITS})`);

const POSTGRES_PARTS = [1, 2, 3].map(
  (part) => `right('${ZEROS}' || split_part(firmware_version, '.', ${part}), ${DIGITS})`,
);
