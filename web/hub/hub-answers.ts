/**
 * The parts of the hub's responses that the page reads (docs/reference/hub.md), as validators from which the
 * TypeScript types are inferred. Times are ISO 8601 in UTC.
 */

/** Checks a response, or a part of one. */
export type Shape<Value> = (value: unknown) => value is Value;

/** The type that a check accepts. */
type Shaped<Check> = Check extends Shape<infer Value> ? Value : never;

export const text: Shape<string> = (value) => typeof value === "string";
export const count: Shape<number> = (value) => typeof value === "number";
export const truth: Shape<boolean> = (value) => typeof value === "boolean";

export function oneOf<const Word extends string>(...words: readonly Word[]): Shape<Word> {
  return (value): value is Word => words.some((word) => word === value);
}

/** For a member that can be missing. */
export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value): value is Value | undefined => value === undefined || shape(value);
}

export function listOf<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return (value): value is readonly Value[] => Array.isArray(value) && value.every(shape);
}

/** A list with at least one item. */
function someOf<Value>(shape: Shape<Value>): Shape<readonly [Value, ...Value[]]> {
  const list = listOf(shape);
  return (value): value is readonly [Value, ...Value[]] => list(value) && value.length > 0;
}

/** An object with at least these members. */
export function object<Members extends Readonly<Record<string, Shape<unknown>>>>(
  members: Members,
): Shape<{ readonly [Name in keyof Members]: Shaped<Members[Name]> }> {
  const checks = Object.entries(members);
  return (value): value is { readonly [Name in keyof Members]: Shaped<Members[Name]> } =>
    typeof value === "object" &&
    value !== null &&
    checks.every(([name, shape]) => shape(Object(value)[name]));
}

/** Hubs of 0.1.0 have no scopes. */
export const SCOPED_ACCOUNT = object({ scopes: listOf(text) });

export const HEALTH = object({ status: oneOf("live") });

const ENTRY_MEMBERS = Object.freeze({
  id: text,
  name: text,
  version: text,
  description: text,
  author: text,
  size_bytes: count,
  /** `""` for an app without an icon. */
  icon_url: text,
});
const CATALOG_ENTRY = object(ENTRY_MEMBERS);
export type CatalogEntry = Shaped<typeof CATALOG_ENTRY>;

const CATALOG_VERSION = object({
  version: text,
  size_bytes: count,
  published_at: text,
  /** The capabilities that its manifest requests. */
  capabilities: listOf(text),
  /** Missing from older hubs. */
  target_arch: optional(text),
});
export type CatalogVersion = Shaped<typeof CATALOG_VERSION>;

export const CATALOG_DETAIL = object({
  ...ENTRY_MEMBERS,
  downloads: count,
  /** Newest first. */
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

/** Sort order of the catalogue; `-` means descending. */
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

export const HUB_DEVICES = object({ total: count, devices: listOf(HUB_DEVICE) });
export type HubDevices = Shaped<typeof HUB_DEVICES>;

const HUB_DEVICE_APP = object({
  app_id: text,
  name: text,
  version: text,
  state: oneOf("requested", "installed", "failed", "removing"),
  /** Error code that the console has reported. */
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
  /** 128 hexadecimal digits; `undefined` if the hub sends none. */
  readonly signature: string | undefined;
}
