/**
 * The database schema as types: one interface per table. SQLite and PostgreSQL have the same tables, of types that both
 * support: text, integers (times are milliseconds since 1970, booleans are 0 or 1), and JSON as text. `migrations/`
 * creates the tables, with unique and foreign keys.
 */
import type { Generated, Insertable, Kysely, Selectable } from "kysely";
import { sql } from "kysely";
import type { Role } from "../../protocol/hub/answers/team.js";

/** The kind of database, for the few statements that differ between the two. */
export type Dialect = "sqlite" | "postgres";

export interface Tables {
  readonly hub: HubTable;
  readonly processes: ProcessTable;
  readonly publishers: PublisherTable;
  readonly publisher_keys: PublisherKeyTable;
  readonly accounts: AccountTable;
  readonly account_tokens: AccountTokenTable;
  readonly member_sessions: MemberSessionTable;
  readonly audit: AuditTable;
  readonly devices: DeviceTable;
  readonly former_tokens: FormerTokenTable;
  readonly device_apps: DeviceAppTable;
  readonly device_tags: DeviceTagTable;
  readonly device_groups: DeviceGroupTable;
  readonly device_events: DeviceEventTable;
  readonly installed_apps: InstalledAppTable;
  readonly apps: AppTable;
  readonly app_versions: AppVersionTable;
  readonly app_screenshots: AppScreenshotTable;
  readonly app_words: AppWordTable;
  readonly firmware: FirmwareTable;
  readonly commands: CommandTable;
  readonly rollouts: RolloutTable;
  readonly rollout_devices: RolloutDeviceTable;
  readonly rate_limits: RateLimitTable;
  readonly revocations: RevocationTable;
  readonly webhooks: WebhookTable;
  readonly webhook_deliveries: WebhookDeliveryTable;
}

export type Database = Kysely<Tables>;

/** One row: which hub this is. Subjects of the message bus begin with its id, so that hubs can share one. */
interface HubTable {
  readonly id: string;
  readonly created_at: number;
  /** Detects another `SVC_HUB_SECRET` (open-database.ts); `null` until the first process sets it. */
  readonly secret_check: string | null;
  /** Time of the last turn of the clean-up (retention/retention.ts), and the console after which it ended. */
  readonly retention_at: Generated<number | null>;
  readonly retention_device: Generated<string | null>;
  /** Counts the changes of the catalogue; on PostgreSQL alone, where a trigger does. */
  readonly catalog_revision: Generated<number>;
}

/** The hub's processes. One without a recent heartbeat is dead, and its connections with it. */
interface ProcessTable {
  readonly id: string;
  readonly heartbeat_at: number;
}

export interface PublisherTable {
  readonly id: string;
  /** Unique. */
  readonly name: string;
  /** HMAC-SHA256(`SVC_HUB_SECRET`, token) in hexadecimal, as everywhere below. Unique. */
  readonly token_hash: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  /** Architectures for which the publisher may publish firmware, separated by commas; `""` for none. */
  readonly firmware_architectures: Generated<string>;
}

/** Unique by publisher and key. */
export interface PublisherKeyTable {
  readonly id: string;
  readonly publisher_id: string;
  /** 64 hexadecimal digits. */
  readonly public_key: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  /** The links that lead from a previous key to this one, oldest first: see protocol/signature/statements.ts. */
  readonly succession: Generated<string | null>;
}

interface AccountTable {
  readonly id: string;
  /** `revoked` and the id once the account has ended; no token has this hash. */
  readonly token_hash: string;
  readonly created_at: number;
  readonly revoked_at: Generated<number | null>;
}

/** Tokens of an account besides its own: see teams/teams.ts. */
interface AccountTokenTable {
  readonly id: string;
  readonly account_id: string;
  readonly kind: "member" | "program";
  readonly name: string;
  /** Of a member; null for a program. */
  readonly role: Role | null;
  /** Separated by commas. Those of a member are the role's. */
  readonly scopes: string;
  /** `invited` and the id for a member who signs in and has no token; no token has this hash. */
  readonly token_hash: string;
  readonly created_at: number;
  /** Null for a token that does not expire. */
  readonly expires_at: number | null;
  /** Of a member who is to sign in: as `readEmail` has it. Unique in the account, as the identity. */
  readonly email: Generated<string | null>;
  /** The identity of OpenID Connect that is the member, once they have signed in. */
  readonly issuer: Generated<string | null>;
  readonly subject: Generated<string | null>;
}

/** Tokens of members who have signed in: see teams/sessions.ts. They end with the member's row. */
interface MemberSessionTable {
  readonly id: string;
  readonly member_id: string;
  /** Null for a session that has ended, whose row prevents a second one of the same sign-in. Unique. */
  readonly token_hash: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** What was done with the tokens of an account: see teams/audit.ts. */
interface AuditTable {
  /** Order of the entries, over all accounts. */
  readonly position: Generated<number>;
  readonly account_id: string;
  readonly at: number;
  /** `account` for the account's own token, `operator` for the operator of the hub, `hub` for the hub itself. */
  readonly actor: "account" | "member" | "program" | "operator" | "hub";
  /** Id and name of a member or a program, as they were. */
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  /** How a member has signed in; null for a token that an owner has given them. */
  readonly via: Generated<"oidc" | null>;
  /** Method and path, as in the table of endpoints. */
  readonly action: string;
  /** JSON: the names in the path, such as the console's id. */
  readonly names: string;
  readonly address: string;
  readonly status: number;
}

interface DeviceTable {
  readonly id: string;
  /** `retired` and the id once the record has ended; no token has this hash. */
  readonly token_hash: string;
  /** Hash of the next token, which replaces the present one at its first use. Unique. */
  readonly next_token_hash: Generated<string | null>;
  /** Id of the rotation to request until the device has connected with its new token. */
  readonly rotation_id: Generated<string | null>;
  /** Upper-case octets with colons. Unique among records that are not retired. */
  readonly mac: string;
  readonly name: string;
  readonly arch: string;
  readonly firmware_version: string;
  /** Unique; null once the device is claimed, and while it must replace its token first. */
  readonly claim_code: string | null;
  readonly account_id: string | null;
  readonly registered_at: number;
  readonly last_seen_at: number | null;
  /** The last `device.status` as JSON. */
  readonly status: string | null;
  /** The last `device.apps` list as JSON, and the time of its arrival; null if the device has never sent one. */
  readonly apps: Generated<string | null>;
  readonly apps_at: Generated<number | null>;
  /** `boot` of the last `device.started`; null if the device has never sent one. */
  readonly boot: Generated<number | null>;
  /** The revocation list that the device has, or has a newer list than; null if it has rejected the list. */
  readonly revocations_id: Generated<string | null>;
  readonly retired_at: Generated<number | null>;
  /** Counts the device's connections: only the newest one may write for it (the fence). */
  readonly connection: Generated<number>;
  /** The process that holds that connection; null when it is gone. */
  readonly process_id: string | null;
}

/** Tokens that no longer get a claim code: see devices/former-tokens.ts. Rows are never deleted. */
interface FormerTokenTable {
  /** Unique. */
  readonly token_hash: string;
  /** Of the console whose token it was. */
  readonly mac: string;
}

/** The desired and the known state of a device's apps. Unique by device and app. */
interface DeviceAppTable {
  readonly device_id: string;
  readonly app_id: string;
  readonly version: string;
  readonly state: DeviceAppState;
  readonly error: string | null;
  readonly updated_at: number;
}

export type DeviceAppState = "requested" | "installed" | "failed" | "removing";

/** Labels that an account gives its consoles. Unique by all columns; void while the account does not hold the console. */
interface DeviceTagTable {
  readonly account_id: string;
  readonly tag: string;
  readonly device_id: string;
}

/** A named filter of an account's consoles: see fleet/groups.ts. */
interface DeviceGroupTable {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  /** JSON: see fleet/device-filter.ts. */
  readonly filter: string;
  readonly created_at: number;
}

/** What happened to a console while an account held it: see history/device-events.ts. */
interface DeviceEventTable {
  /** Order of the events, over all devices. */
  readonly position: Generated<number>;
  readonly device_id: string;
  /** The account that held the console: no other account sees the event. */
  readonly account_id: string;
  readonly at: number;
  readonly kind: DeviceEventKind;
  /** Number of the connection that it was about, 0 for none. */
  readonly connection: number;
  /** Of the command that it was about. */
  readonly command_id: string | null;
  /** JSON: what else is known. */
  readonly details: string | null;
}

export type DeviceEventKind =
  | ("connected" | "disconnected" | "restarted" | "crashed" | "ordered" | "sent" | "progress")
  | ("done" | "failed" | "replaced" | "cancelled");

/**
 * The apps in the last `device.apps` of consoles that an account holds, for queries. Triggers write it from
 * `devices.apps`, which a backup has alone. Unique by device and app.
 */
interface InstalledAppTable {
  readonly device_id: string;
  readonly app_id: string;
  readonly account_id: string;
  readonly version: string;
}

/** An app. Its name belongs permanently to the publisher that published it first. */
interface AppTable {
  /** The manifest's name. */
  readonly id: string;
  readonly publisher_id: string;
  /** What the catalogue shows in place of the id; null for the id. */
  readonly display_name: Generated<string | null>;
  /** The display name in lower case, by which lists are sorted and searched; null with it. */
  readonly name_order: Generated<string | null>;
  readonly description: string;
  readonly author: string;
  /** The newest version, which the catalogue lists. */
  readonly version: string;
  /** Of the newest version. */
  readonly size_bytes: number;
  readonly icon_sha256: string | null;
  /** Id, description and author in lower case, a line each: the databases' own case folding differs. */
  readonly search_text: string;
  readonly downloads: Generated<number>;
  /** Of the newest version. */
  readonly published_at: number;
  readonly retracted_at: number | null;
  /** Markdown; null for none, as in the next columns. */
  readonly about: Generated<string | null>;
  /** See catalog/categories.ts. */
  readonly category: Generated<string | null>;
  readonly homepage_url: Generated<string | null>;
  readonly source_url: Generated<string | null>;
  /** 1 while no version has passed review (catalog/reviews.ts); `retracted_at` is then set, too. */
  readonly is_unlisted: Generated<number>;
}

/** Unique by app and version. */
interface AppVersionTable {
  readonly app_id: string;
  readonly version: string;
  /** See version-order.ts. */
  readonly version_order: string;
  /** Of the package, in hexadecimal; also the name of its file in the store. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** The publisher's, 128 hexadecimal digits. */
  readonly signature: string;
  /** As JSON. */
  readonly manifest: string;
  readonly icon_sha256: string | null;
  readonly published_at: number;
  /** The key of the signature, 64 hexadecimal digits. */
  readonly public_key: string;
  readonly withdrawn_at: Generated<number | null>;
  /** Of the lines of its sources, a file in the store; null where the publisher has sent none. */
  readonly lines_sha256: Generated<string | null>;
  /** Markdown; null for none. */
  readonly changelog: Generated<string | null>;
  /** Null for a version that is offered. */
  readonly review: Generated<"waiting" | "refused" | null>;
  /** Why the operator has refused it. */
  readonly review_reason: Generated<string | null>;
}

/** Unique by app and position. */
interface AppScreenshotTable {
  readonly app_id: string;
  /** From 1. */
  readonly position: number;
  /** Of the PNG, a file in the store. */
  readonly sha256: string;
  readonly size_bytes: number;
  readonly width: number;
  readonly height: number;
}

/** The words by which apps are searched: see catalog/search-words.ts. Unique by place, word and app. */
interface AppWordTable {
  readonly place: number;
  readonly word: string;
  readonly app_id: string;
}

/** Unique by architecture and version. */
interface FirmwareTable {
  readonly arch: string;
  readonly version: string;
  /** See version-order.ts. */
  readonly version_order: string;
  readonly publisher_id: string;
  /** The image's board; consoles accept only their own. */
  readonly board: string;
  /** Of the bundle as published; also the name of its file in the store. */
  readonly sha256: string;
  readonly size_bytes: number;
  /** The bundle's own, 128 hexadecimal digits. */
  readonly signature: string;
  readonly notes: string;
  readonly published_at: number;
  /** The key of the signature, 64 hexadecimal digits. */
  readonly public_key: string;
  readonly withdrawn_at: Generated<number | null>;
}

/**
 * A command for a device. At most one command per device and subject (an app, or the firmware) is pending: a newer one
 * replaces it. See commands/command-state.ts.
 */
interface CommandTable {
  readonly id: string;
  /** Order of creation, over all devices. */
  readonly position: Generated<number>;
  readonly device_id: string;
  readonly kind: CommandKind;
  /** The app's id, or `""` for firmware. */
  readonly subject: string;
  /** `""` for `uninstall`. */
  readonly version: string;
  readonly state: CommandState;
  /** Progress of a firmware update: `available`, `staged`, … as the device reported; null for apps. */
  readonly progress: string | null;
  /** Error code of a command that failed. */
  readonly error: string | null;
  /** The connection (`devices.connection`) over which the command was sent last, 0 for none. */
  readonly sent_connection: Generated<number>;
  readonly rollout_id: string | null;
  /** 1 if the version may be older than the installed one (`"downgrade":true`). */
  readonly allows_downgrade: Generated<number>;
  /** When the command is cancelled if it is still pending. */
  readonly expires_at: Generated<number | null>;
  readonly created_at: number;
  readonly updated_at: number;
}

export type CommandKind = "install" | "uninstall" | "firmware";
export type CommandState = "pending" | "done" | "failed" | "replaced" | "cancelled";

/** See rollouts/rollout-state.ts. */
interface RolloutTable {
  readonly id: string;
  readonly account_id: string;
  readonly kind: "app" | "firmware";
  /** The app's id, or the firmware's architecture. */
  readonly subject: string;
  readonly version: string;
  /** JSON: the steps with their thresholds. */
  readonly steps: string;
  /** The step in progress, from 0. */
  readonly step: number;
  readonly state: RolloutState;
  /** Why the hub stopped the rollout. */
  readonly reason: string | null;
  /** When the rollout is stopped if it is still under way; null as for commands. */
  readonly expires_at: Generated<number | null>;
  /** Counts the changes, for optimistic locking: a caller that changes the row names the revision it has read. */
  readonly revision: number;
  /** JSON: its devices by step and state, as of `counts_revision`; outdated if that is not the row's revision. */
  readonly counts: Generated<string | null>;
  readonly counts_revision: Generated<number | null>;
  readonly created_at: number;
  readonly updated_at: number;
}

export type RolloutState = "running" | "paused" | "stopped" | "cancelled" | "completed";

/** The devices of a rollout. Unique by rollout and device. */
interface RolloutDeviceTable {
  readonly rollout_id: string;
  readonly device_id: string;
  /** Rollout order, from 0. */
  readonly position: number;
  readonly state: RolloutDeviceState;
  readonly error: string | null;
  readonly updated_at: number;
}

export type RolloutDeviceState = "waiting" | "sent" | "succeeded" | "failed" | "cancelled";

/** Counts attempts in a window of time. */
interface RateLimitTable {
  /** The action and the caller: `register 192.0.2.1`. */
  readonly key: string;
  /** Start of the window. Unique with the key. */
  readonly window_at: number;
  readonly count: number;
}

/** At most one row: the newest revocation list for all consoles. */
interface RevocationTable {
  /** The command id, which consoles repeat in their results. */
  readonly id: string;
  /** Of the list. */
  readonly number: number;
  /** The bytes of the list, base64. */
  readonly list: string;
  readonly created_at: number;
}

/** An address to which an account has its events sent: see webhooks/webhook-dispatcher.ts. */
interface WebhookTable {
  readonly id: string;
  readonly account_id: string;
  readonly url: string;
  /** Types of events, separated by commas. */
  readonly events: string;
  /** See auth/secret-box.ts. */
  readonly sealed_secret: string;
  /** Sealed, too: the secret before that one, which signs beside it until `former_until`. */
  readonly former_secret: Generated<string | null>;
  readonly former_until: Generated<number | null>;
  readonly created_at: number;
  /** Turns in a row in which no attempt succeeded. */
  readonly failures: Generated<number>;
  /** Time of the first of them. */
  readonly failing_since: Generated<number | null>;
  readonly disabled_at: Generated<number | null>;
  /** Events that were not stored, as the account's queue was full. */
  readonly dropped: Generated<number>;
  /** When its next turn begins; null while it has nothing to send. */
  readonly due_at: Generated<number | null>;
  /** The turn in progress, until `lease_until`: another process then takes over. */
  readonly lease_id: Generated<string | null>;
  readonly lease_until: Generated<number | null>;
}

/** An event for a webhook. */
interface WebhookDeliveryTable {
  /** Order of the events, over all webhooks. */
  readonly position: Generated<number>;
  /** The `webhook-id` of each attempt. Unique. */
  readonly id: string;
  readonly webhook_id: string;
  /** The webhook's. */
  readonly account_id: string;
  /** Type of the event. */
  readonly event: string;
  /** JSON, as it is sent. */
  readonly body: string;
  readonly state: WebhookDeliveryState;
  readonly attempts: number;
  /** Time of the next attempt while it is pending. */
  readonly next_at: number;
  /** Status of the last answer; null if there was none. */
  readonly status: number | null;
  /** Why the last attempt got no answer. */
  readonly error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export type WebhookDeliveryState = "pending" | "delivered" | "failed";

export type Row<Name extends keyof Tables> = Selectable<Tables[Name]>;
export type NewRow<Name extends keyof Tables> = Insertable<Tables[Name]>;

/** Must equal the condition of the index, word for word: otherwise SQLite does not use the index. */
export const IS_UNDER_WAY = sql<boolean>`state in ('running', 'paused')`;

/** As {@link IS_UNDER_WAY}, for rollouts that have ended. */
export const HAS_ENDED = sql<boolean>`state in ('stopped', 'cancelled', 'completed')`;
