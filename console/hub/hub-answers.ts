/** Bodies of the hub's answers, as far as the page reads them (docs/reference/hub.md). Times are ISO 8601 in UTC. */

export interface CatalogEntry {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly size_bytes: number;
  /** `""` where there is no icon. */
  readonly icon_url: string;
  readonly published_at: string;
}

export interface CatalogVersion {
  readonly version: string;
  readonly size_bytes: number;
  readonly published_at: string;
}

export interface CatalogDetail extends CatalogEntry {
  /** As it was published. */
  readonly manifest: { readonly capabilities?: readonly string[]; readonly memory_quota?: number };
  readonly downloads: number;
  readonly versions: readonly CatalogVersion[];
}

export interface CatalogPage {
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly per_page: number;
  readonly apps: readonly CatalogEntry[];
}

/** What the catalogue may be sorted by; a `-` turns it round. */
export type CatalogSort = "name" | "-published_at" | "-downloads";

export interface CatalogQuery {
  readonly search: string;
  readonly sort: CatalogSort;
  readonly page: number;
}

export interface HubDevice {
  readonly device_id: string;
  readonly name: string;
  readonly mac: string;
  readonly arch: string;
  readonly firmware_version: string;
  readonly online: boolean;
  readonly last_seen_at: string | null;
}

/** An element of `GET /devices/{device_id}/apps`. */
export interface HubDeviceApp {
  readonly app_id: string;
  readonly name: string;
  readonly version: string;
  readonly state: "requested" | "installed" | "failed" | "removing";
  /** Code of what went wrong, as the console has told it. */
  readonly error?: string;
  readonly updated_at: string;
}

/** What a console was told to do. */
export interface GivenCommand {
  readonly command_id: string;
  /** `queued` until the console connects. */
  readonly state: "sent" | "queued";
}

export interface NewAccount {
  readonly account_id: string;
  readonly account_token: string;
}

/** A package as the hub serves it. */
export interface DownloadedPackage {
  readonly bytes: Uint8Array;
  /** 128 hexadecimal digits. */
  readonly signature: string | undefined;
}
