/**
 * A backup of a hub: a directory with `backup.json`, the rows of each table in `tables/NAME.jsonl` (a JSON object a line),
 * the files that rows name in `files/`, and `secret` if the hub stores one. It is the same for both databases, so that a
 * hub moves from one to the other by it.
 */
import Type, { type Static } from "typebox";
import type { Tables } from "../database/schema.js";

export const BACKUP_FORMAT = 1;

export const BACKUP_FILE = "backup.json";

/** `backup.json`, which is written last: a directory without it is not a backup. */
export const BACKUP = Type.Object({
  format: Type.Literal(BACKUP_FORMAT),
  hub_id: Type.String(),
  created_at: Type.String({ description: "ISO 8601." }),
  migrations: Type.Array(Type.String(), { description: "Names of the migrations of the database." }),
  tables: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description: "Numbers of rows." }),
  files: Type.Array(Type.String({ pattern: "^[0-9a-f]{64}$" }), {
    description: "SHA-256 of each file, which is also its name.",
  }),
});

export type BackupDescription = Static<typeof BACKUP>;

/** What a hub needs again, with a table that others refer to before them. */
export const BACKED_UP: readonly (keyof Tables)[] = Object.freeze([
  ...(["hub", "publishers", "publisher_keys", "accounts", "account_tokens", "audit", "devices"] as const),
  ...(["former_tokens", "device_apps", "apps", "app_versions", "firmware", "commands"] as const),
  ...(["rollouts", "rollout_devices", "revocations", "webhooks", "webhook_deliveries"] as const),
  ...(["app_screenshots", "app_words"] as const),
  ...(["device_tags", "device_groups", "device_events"] as const),
]);

/**
 * What lasts for minutes only (the hub's processes, the attempts of the last minute, the sessions of members, who sign in again), and what triggers write from the
 * rows of devices.
 */
export const LEFT_OUT: readonly (keyof Tables)[] = Object.freeze([
  ...(["processes", "rate_limits", "installed_apps", "member_sessions"] as const),
]);
