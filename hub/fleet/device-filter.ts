/**
 * Conditions that choose consoles of an account: for the table of consoles, for groups, and for orders. Each is answered
 * from an index that begins with the account, so that none reads the consoles of others (docs/spec/hub-api.md#filters).
 */
import { type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from "kysely";
import Type, { type Static } from "typebox";
import { VARIANT_ARCHITECTURES } from "../../protocol/file-kind.js";
import { oneOf } from "../../protocol/schema.js";
import { isApp } from "../database/app-name.js";
import { firmwareOrder, nameOrder, seenOrder } from "../database/device-order.js";
import type { Dialect, Tables } from "../database/schema.js";
import { versionOrder } from "../database/version-order.js";
import { PROCESS_FRESH_MS } from "../processes.js";
import { TAG } from "./tags.js";

const DAY_MS = 24 * 3_600_000;

/** A console that was not seen for this long needs attention. */
const OFFLINE_MS = DAY_MS;

/** A console needs attention for this long after it, an app, or one of its commands has failed. */
export const FAILED_MS = DAY_MS;

/** Longer than any name, MAC or id. */
const SEARCH_LIMIT_CHARACTERS = 64;

const VERSION = "^[0-9]{1,9}\\.[0-9]{1,9}\\.[0-9]{1,9}$";

export const FILTER_MEMBERS = Object.freeze({
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: SEARCH_LIMIT_CHARACTERS,
      description:
        "A part of the name (A to Z in either case) or of the MAC (with or without colons), or the beginning of the id.",
    }),
  ),
  status: Type.Optional(oneOf(["online", "offline"])),
  firmware_version: Type.Optional(Type.String({ pattern: VERSION, description: "Runs this firmware." })),
  arch: Type.Optional(oneOf(VARIANT_ARCHITECTURES)),
  app_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "Reports this app as installed." }),
  ),
  app_version: Type.Optional(
    Type.String({ pattern: VERSION, description: "In this version; only with `app_id`." }),
  ),
  tag: Type.Optional(TAG),
  attention: Type.Optional(
    Type.Boolean({
      description:
        "Needs attention: has failed a command or crashed in the last day, or was not seen for a day.",
    }),
  ),
});

/** Rejects unknown members: ignoring a misspelt condition would select more consoles. */
export const DEVICE_FILTER = Type.Object(FILTER_MEMBERS, {
  additionalProperties: false,
  description: "All of these conditions; all consoles of the account without any.",
});
export type DeviceFilter = Static<typeof DEVICE_FILTER>;

export interface FilterContext {
  readonly dialect: Dialect;
  readonly accountId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

type Devices = ExpressionBuilder<Tables, "devices">;

/** The consoles of the account for which all conditions hold. */
export function matchesFilter(filter: DeviceFilter, context: FilterContext) {
  const { accountId, dialect, now } = context;
  return (devices: Devices): Expression<SqlBool> => {
    const held: Expression<SqlBool>[] = [devices("devices.account_id", "=", accountId)];
    const { q, status, firmware_version, arch, app_id, app_version, tag, attention } = filter;
    if (q !== undefined) held.push(isFound(q, dialect));
    if (status === "online") held.push(isOnline(now));
    if (status === "offline") held.push(devices.not(isOnline(now, accountId)));
    if (firmware_version !== undefined)
      held.push(sql<SqlBool>`${firmwareOrder(dialect)} = ${versionOrder(firmware_version)}`);
    if (arch !== undefined) held.push(devices("devices.arch", "=", arch));
    if (app_id !== undefined) held.push(hasApp(context, app_id, app_version));
    if (tag !== undefined) held.push(hasTag(context, tag));
    if (attention !== undefined) {
      const needing = needsAttention(context);
      held.push(attention ? needing : devices.not(needing));
    }
    return devices.and(held);
  };
}

/** No wildcards: LIKE has some, and ignores case as it likes. */
function isFound(q: string, dialect: Dialect): Expression<SqlBool> {
  const position = sql.raw(dialect === "sqlite" ? "instr" : "strpos");
  const name = sql<SqlBool>`${position}(${nameOrder(dialect)}, ${asciiLower(q)}) > 0`;
  const id = sql<SqlBool>`substr(id, 1, cast(${[...q].length} as integer)) = ${asciiLower(q)}`;
  const octets = q.replaceAll(/[:-]/g, "").toUpperCase();
  if (!/^[0-9A-F]{1,12}$/.test(octets)) return sql<SqlBool>`(${name} or ${id})`;
  const mac = sql<SqlBool>`${position}(replace(mac, ':', ''), ${octets}) > 0`;
  return sql<SqlBool>`(${name} or ${mac} or ${id})`;
}

/** As the databases fold names: see device-order.ts. */
export function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const PROCESSES = sql.raw("select processes.id from processes where processes.heartbeat_at >");

/**
 * @param accountId reads the ids of its consoles that are online from an index, for a query that excludes them: a look
 *   at the row of each other console would be slower
 */
function isOnline(now: number, accountId?: string): Expression<SqlBool> {
  const since = now - PROCESS_FRESH_MS;
  if (accountId === undefined) return sql<SqlBool>`process_id in (${PROCESSES} ${since})`;
  return sql<SqlBool>`id in (select held.id from devices as held
    where held.account_id = ${accountId} and held.process_id in (${PROCESSES} ${since}))`;
}

function hasApp(
  { accountId, dialect }: FilterContext,
  appId: string,
  version: string | undefined,
): Expression<SqlBool> {
  const inVersion = version === undefined ? sql.raw("") : sql`and version = ${version}`;
  return sql<SqlBool>`${memberId(dialect)} in (select device_id from installed_apps
    where account_id = ${accountId} and ${isApp("app_id", appId, dialect)} ${inVersion})`;
}

export function hasTag({ accountId, dialect }: FilterContext, tag: string): Expression<SqlBool> {
  return sql<SqlBool>`${memberId(dialect)} in (select device_id from device_tags
    where account_id = ${accountId} and tag = ${tag})`;
}

/**
 * Without a plus, SQLite would read the rows of all members and sort them for a page of a few, since it has no
 * statistics: 60 ms for 10,000 consoles, and 10 with it.
 */
function memberId(dialect: Dialect): RawBuilder<string> {
  return sql.raw(dialect === "sqlite" ? "+id" : "id");
}

function needsAttention({ accountId, dialect, now }: FilterContext): Expression<SqlBool> {
  return sql<SqlBool>`${memberId(dialect)} in (
    select device_id from device_events
      where account_id = ${accountId} and kind = 'failed' and at > ${now - FAILED_MS}
    union select device_id from device_events
      where account_id = ${accountId} and kind = 'crashed' and at > ${now - FAILED_MS}
    union ${longOffline(accountId, now)})`;
}

/** The ids of consoles that were not seen for {@link OFFLINE_MS}. */
export function longOffline(accountId: string, now: number) {
  return sql<{ readonly id: string }>`select id from devices where account_id = ${accountId}
    and ${seenOrder()} < ${now - OFFLINE_MS}
    and (process_id is null or process_id not in (${PROCESSES} ${now - PROCESS_FRESH_MS}))`;
}
