/** The hub's settings, as read from its environment (docs/spec/hub-api.md#configuration; docs/hub.md). */
import type { KeyObject } from "node:crypto";

export interface HubConfig {
  /** `SVC_HUB_STORAGE_PATH`: packages, bundles and icons, and the database and the secret where none are given. */
  readonly storagePath: string;
  /** `SVC_HUB_HOST`: local address to listen on; every address when left out. */
  readonly host: string;
  /** `SVC_HUB_PORT`: 0 picks a free one. */
  readonly port: number;
  /** `SVC_HUB_SECRET`, or the one that was made and stored. */
  readonly secret: string;
  /** `SVC_HUB_ED25519_PRIVATE_KEY`: signs what the hub serves. */
  readonly signingKey: KeyObject | undefined;
  /** `SVC_HUB_DATABASE_URL`: `postgres://…`; SQLite when left out. */
  readonly databaseUrl: string | undefined;
  /** `SVC_HUB_NATS_URL`: `nats://…`; one process when left out. */
  readonly natsUrl: string | undefined;
  /** `SVC_HUB_PUBLIC_URL`: where consoles reach the hub; when left out, the host that they ask. */
  readonly publicUrl: string | undefined;
  /** `SVC_HUB_TRUST_PROXY`: trust `X-Forwarded-…` for the client's address and the public one. */
  readonly trustsProxy: boolean;
  /** `SVC_HUB_TLS_CERT` and `SVC_HUB_TLS_KEY`, PEM files: the hub speaks TLS itself. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined;
  /** `SVC_HUB_MAX_PACKAGE_BYTES`: of a package, and of what it unpacks to. */
  readonly maxPackageBytes: number;
  /** `SVC_HUB_MAX_FIRMWARE_BYTES`. */
  readonly maxFirmwareBytes: number;
  /** `SVC_HUB_PUBLIC_CATALOG`: the catalogue and firmware are read without a token. */
  readonly hasPublicCatalog: boolean;
  /** `SVC_HUB_REGISTRATIONS_PER_MINUTE`, by address; accounts are made under the same limit. */
  readonly registrationsPerMinute: number;
  /** `SVC_HUB_LOG_LEVEL`. */
  readonly logLevel: string;
}
