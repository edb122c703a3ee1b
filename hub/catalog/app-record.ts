/** An app as the catalogue's API shows it (docs/spec/hub-api.md#catalog-entry). */
import type { AppRecord, CatalogEntry } from "../../protocol/hub/answers/catalog.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { isoTime } from "../api/answers.js";
import type { Row } from "../database/schema.js";

/** @param address the API's base address, for the icon's address */
export function catalogEntry(app: Row<"apps">, address: string): CatalogEntry {
  const { id, display_name, version, description, author, size_bytes, icon_sha256, published_at } = app;
  const icon_url = icon_sha256 === null ? "" : `${address}/catalog/${id}/icon`;
  const time = isoTime(published_at);
  const name = display_name ?? id;
  return { id, name, version, description, author, size_bytes, icon_url, published_at: time };
}

/** @param versions newest first, including the listed one */
export function appRecord(
  app: Row<"apps"> & { readonly publisher: string },
  versions: readonly Row<"app_versions">[],
  address: string,
): AppRecord {
  const { publisher, downloads } = app;
  const newest = versions.find(({ version }) => version === app.version);
  if (!newest) throw new Error(`"${app.id}" ${app.version} is listed but does not exist`);
  return {
    ...catalogEntry(app, address),
    manifest: JSON.parse(newest.manifest),
    sha256: newest.sha256,
    publisher,
    downloads,
    versions: versions.map(versionRecord) as unknown as AppRecord["versions"], // the newest is among them
  };
}

/** Every stored manifest has all fields: the hub stores it as it has read it. */
function versionRecord({ version, size_bytes, sha256, published_at, manifest }: Row<"app_versions">) {
  const { capabilities, target_arch }: Pick<Manifest, "capabilities" | "target_arch"> = JSON.parse(manifest);
  const time = isoTime(published_at);
  return { version, size_bytes, sha256, published_at: time, capabilities: [...capabilities], target_arch };
}

/** The columns of a display name. @param name `""` for none */
export function nameColumns(name: string): Pick<Row<"apps">, "display_name" | "name_order"> {
  return name === ""
    ? { display_name: null, name_order: null }
    : { display_name: name, name_order: name.toLowerCase() };
}

/** The text that `q` searches besides the display name: see `search_text` of the schema. */
export function searchText(id: string, description: string, author: string): string {
  return [id, description, author].join("\n").toLowerCase();
}
