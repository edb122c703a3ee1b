/**
 * The parts of the hub's responses that the page reads (docs/reference/hub.md), as validators that also define their
 * TypeScript types. Times are ISO 8601 in UTC.
 */

/** Whether a value has a shape. */
export type Shape<Value> = (value: unknown) => value is Value;

/** What has passed a check. */
type Shaped<Check> = Check extends Shape<infer Value> ? Value : never;

export const text: Shape<string> = (value) => typeof value === "string";
export const count: Shape<number> = (value) => typeof value === "number";
export const truth: Shape<boolean> = (value) => typeof value === "boolean";

export function oneOf<const Word extends string>(...words: readonly Word[]): Shape<Word> {
  return (value): value is Word => words.some((word) => word === value);
}

/** May be left out. */
export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || shape(value);
}

export function listOf<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.every(shape);
}

/** A list that is not empty. */
function someOf<Value>(shape: Shape<Value>): Shape<readonly [Value, ...Value[]]> {
  const list = listOf(shape);
  return (value): value is readonly [Value, ...Value[]] => list(value) && value.length > 0;
}

/** An object with these members, whatever else it has. */
export function object<Members extends Readonly<Record<string, Shape<unknown>>>>(
  members: Members,
): Shape<{ readonly [Name in keyof Members]: Shaped<Members[Name]> }> {
  const checks = Object.entries(members);
  return (value): value is { readonly [Name in keyof Members]: Shaped<Members[Name]> } =>
    typeof value === "object" &&
    value !== null &&
    checks.every(([name, shape]) => shape(Object(value)[name]));
}

export const HEALTH = object({ status: oneOf("live") });

const ENTRY_MEMBERS = Object.freeze({
  id: text,
  name: text,
  version: text,
  description: text,
  author: text,
  size_bytes: count,
  /** `""` where there is no icon. */
  icon_url: text,
});
const CATALOG_ENTRY = object(ENTRY_MEMBERS);
export type CatalogEntry = Shaped<typeof CATALOG_ENTRY>;

const CATALOG_VERSION = object({
  version: text,
  size_bytes: count,
  published_at: text,
  /** What its manifest asks for. */
  capabilities: listOf(text),
});
export type CatalogVersion = Shaped<typeof CATALOG_VERSION>;

export const CATALOG_DETAIL = object({
  ...ENTRY_MEMBERS,
  downloads: count,
  /** The newest first. */
  versions: someOf(CATALOG_VERSION),
});
export type CatalogDetail = Shaped<typeof CATALOG_DETAIL>;

export const CATALOG_PAGE = object({
  total: count,
  /** From 1. */
  page: count,
  apps: listOf(CATALOG_ENTRY),
});
export type CatalogPage = Shaped<typeof CATALOG_PAGE>;

/** What the catalogue may be sorted by; a `-` turns it round. */
export type CatalogSort = "name" | "-published_at" | "-downloads";

export interface CatalogQuery {
  readonly search: string;
  readonly sort: CatalogSort;
  readonly page: number;
}

export const HUB_DEVICE = object({
  device_id: text,
  name: text,
  mac: text,
  firmware_version: text,
  online: truth,
});
export type HubDevice = Shaped<typeof HUB_DEVICE>;

export const HUB_DEVICES = object({ devices: listOf(HUB_DEVICE) });

const HUB_DEVICE_APP = object({
  app_id: text,
  name: text,
  version: text,
  state: oneOf("requested", "installed", "failed", "removing"),
  /** Code of what went wrong, as the console has told it. */
  error: optional(text),
});
export type HubDeviceApp = Shaped<typeof HUB_DEVICE_APP>;

export const HUB_DEVICE_APPS = object({ apps: listOf(HUB_DEVICE_APP) });

export const GIVEN_COMMAND = object({ command_id: text });

export const NEW_ACCOUNT = object({ account_token: text });
export type NewAccount = Shaped<typeof NEW_ACCOUNT>;

/** A package as the hub serves it. */
export interface DownloadedPackage {
  readonly bytes: Uint8Array;
  /** 128 hexadecimal digits. */
  readonly signature: string | undefined;
}
