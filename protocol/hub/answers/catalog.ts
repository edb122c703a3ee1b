/** What the hub answers about apps (docs/spec/hub-api.md#catalog-entry). */
import {
  extended,
  integer,
  listOf,
  mapOf,
  object,
  optional,
  type Shaped,
  someOf,
  text,
  time,
  truth,
} from "../../schema.js";
import { pagedList } from "./paged-list.js";

const CATALOG_ENTRY = object(
  {
    id: text("The manifest's name"),
    name: text("The display name; the id for an app without one"),
    version: text("The newest version"),
    description: text(),
    author: text("The manifest's; the publisher's name if it has none"),
    size_bytes: integer(),
    icon_url: text('Absolute; `""` for an app without an icon'),
    published_at: time("Of the newest version"),
  },
  { title: "CatalogEntry" },
);
export type CatalogEntry = Shaped<typeof CATALOG_ENTRY>;

export const CATALOG_LIST = pagedList({ apps: listOf(CATALOG_ENTRY) });
export type CatalogList = Shaped<typeof CATALOG_LIST>;

export const PUBLISHED_ENTRY = extended(CATALOG_ENTRY, {
  listed: optional(truth("`false` while the version waits for review")),
});
export type PublishedEntry = Shaped<typeof PUBLISHED_ENTRY>;

const SHA256 = text("Of the package, hexadecimal");

const CATALOG_VERSION = object({
  version: text(),
  size_bytes: integer(),
  sha256: SHA256,
  published_at: time(),
  capabilities: listOf(text(), "The capabilities that its manifest requests"),
  target_arch: text("The consoles that it is for; `generic` for all"),
});
export type CatalogVersion = Shaped<typeof CATALOG_VERSION>;

export const APP_RECORD = extended(
  CATALOG_ENTRY,
  {
    manifest: mapOf(undefined, "Of the newest version"),
    sha256: SHA256,
    publisher: text("The publisher's name"),
    downloads: integer("Counts downloads from the first byte"),
    versions: someOf(CATALOG_VERSION, "Newest first"),
  },
  { title: "App" },
);
export type AppRecord = Shaped<typeof APP_RECORD>;

export const TRAP_MEMBERS = {
  message: text("With files and lines in place of offsets"),
  stack: listOf(
    object({
      function: text(),
      file: optional(text()),
      line: optional(integer()),
      is_start: optional(truth("The line is that of the function's start")),
    }),
  ),
};
/** A trap whose stack has files and lines. */
export const TOLD_TRAP = object(TRAP_MEMBERS, { title: "Trap" });
export type ToldTrapAnswer = Shaped<typeof TOLD_TRAP>;
export type Frame = ToldTrapAnswer["stack"][number];
