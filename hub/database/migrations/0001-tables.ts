/**
 * The first tables, with their indexes and triggers. `../schema.ts` explains the columns.
 *
 * The databases use an index of an expression only for a query with the same words: those of `../../catalog/list-order.ts`,
 * `../device-order.ts` and of the conditions in `../schema.ts`.
 */
import { type Kysely, sql } from "kysely";
import { canonicalColumn } from "../app-name.js";
import { firmwareOrder, nameOrder, seenOrder } from "../device-order.js";
import type { Dialect } from "../schema.js";

type Untyped = Kysely<Record<string, Record<string, unknown>>>;

export async function up(database: Untyped, dialect: Dialect): Promise<void> {
  const isPostgres = dialect === "postgres";
  const words: Words = {
    position: isPostgres ? "position bigserial primary key" : "position integer primary key autoincrement",
    bytewise: isPostgres ? 'collate "C"' : "collate binary",
    wordType: isPostgres ? 'text collate "C"' : "text",
  };
  const statements = [
    ...hub(),
    ...publishers(),
    ...accounts(words),
    ...devices(words),
    ...catalogue(words),
    ...commands(words),
    ...rollouts(),
    ...webhooks(words),
    ...(isPostgres ? POSTGRES_TRIGGERS : SQLITE_TRIGGERS),
  ];
  for (const statement of statements) await sql.raw(statement).execute(database);
  for (const [name, columns] of [
    ["devices_by_name", sql`${nameOrder(dialect)}, id, mac`],
    ["devices_by_seen", sql`${seenOrder()}, id`],
    ["devices_by_firmware", sql`${firmwareOrder(dialect)}, id`],
    ["devices_by_arch", sql`arch, id`],
    ["devices_by_holder", sql`process_id, id`],
  ] as const)
    await sql`create index ${sql.ref(name)} on devices (account_id, ${columns})`.execute(database);
  await sql`create unique index apps_by_canonical_name on apps (${canonicalColumn("id", dialect)})`.execute(
    database,
  );
  await sql`create index installed_apps_by_app
    on installed_apps (account_id, ${canonicalColumn("app_id", dialect)}, version, device_id)`.execute(
    database,
  );
}

/** Where the two databases differ. */
interface Words {
  /** A column that counts the rows of its table. */
  readonly position: string;
  /** Text is compared by its bytes. */
  readonly bytewise: string;
  /** Of text that is compared so in its table's key. */
  readonly wordType: string;
}

const hub = () => [
  `create table hub (
    id text primary key,
    created_at bigint not null,
    secret_check text,
    retention_at bigint,
    retention_device text,
    catalog_revision bigint not null default 0)`,
  `create table processes (
    id text primary key,
    heartbeat_at bigint not null)`,
  `create table rate_limits (
    key text not null,
    window_at bigint not null,
    count integer not null,
    constraint rate_limits_key primary key (key, window_at))`,
  `create table revocations (
    id text primary key,
    number bigint not null,
    list text not null,
    created_at bigint not null)`,
];

const publishers = () => [
  `create table publishers (
    id text primary key,
    name text not null unique,
    token_hash text not null unique,
    created_at bigint not null,
    revoked_at bigint,
    firmware_architectures text not null default '')`,
  `create table publisher_keys (
    id text primary key,
    publisher_id text not null references publishers (id),
    public_key text not null,
    created_at bigint not null,
    revoked_at bigint,
    succession text,
    constraint publisher_keys_once unique (publisher_id, public_key))`,
];

const accounts = ({ position }: Words) => [
  `create table accounts (
    id text primary key,
    token_hash text not null unique,
    created_at bigint not null,
    revoked_at bigint)`,
  `create table account_tokens (
    id text primary key,
    account_id text not null references accounts (id),
    kind text not null,
    name text not null,
    role text,
    scopes text not null,
    token_hash text not null unique,
    created_at bigint not null,
    expires_at bigint,
    email text,
    issuer text,
    subject text)`,
  "create index account_tokens_by_account on account_tokens (account_id, kind, id)",
  "create unique index account_tokens_by_email on account_tokens (email, account_id)",
  "create unique index account_tokens_by_identity on account_tokens (subject, issuer, account_id)",
  `create table member_sessions (
    id text primary key,
    member_id text not null references account_tokens (id) on delete cascade,
    token_hash text unique,
    created_at bigint not null,
    expires_at bigint not null)`,
  "create index member_sessions_by_member on member_sessions (member_id, created_at)",
  "create index member_sessions_by_end on member_sessions (expires_at)",
  `create table audit (
    ${position},
    account_id text not null references accounts (id),
    at bigint not null,
    actor text not null,
    actor_id text,
    actor_name text,
    via text,
    action text not null,
    names text not null,
    address text not null,
    status integer not null)`,
  "create index audit_by_account on audit (account_id, position)",
  "create index audit_by_time on audit (at)",
];

const devices = ({ position }: Words) => [
  `create table devices (
    id text primary key,
    token_hash text not null unique,
    next_token_hash text,
    rotation_id text,
    mac text not null,
    name text not null,
    arch text not null,
    firmware_version text not null,
    claim_code text unique,
    account_id text references accounts (id),
    registered_at bigint not null,
    last_seen_at bigint,
    status text,
    apps text,
    apps_at bigint,
    boot bigint,
    revocations_id text,
    retired_at bigint,
    connection integer not null default 0,
    process_id text)`,
  "create unique index devices_by_mac on devices (mac) where retired_at is null",
  "create unique index devices_by_next_token on devices (next_token_hash)",
  "create index devices_by_account on devices (account_id, id)",
  "create index devices_by_process on devices (process_id)",
  `create table former_tokens (
    token_hash text primary key,
    mac text not null)`,
  "create index former_tokens_by_mac on former_tokens (mac)",
  `create table device_apps (
    device_id text not null references devices (id),
    app_id text not null,
    version text not null,
    state text not null,
    error text,
    updated_at bigint not null,
    constraint device_apps_key primary key (device_id, app_id))`,
  `create table installed_apps (
    device_id text not null references devices (id),
    app_id text not null,
    account_id text not null,
    version text not null,
    constraint installed_apps_key primary key (device_id, app_id))`,
  `create table device_tags (
    account_id text not null references accounts (id),
    tag text not null,
    device_id text not null references devices (id),
    constraint device_tags_key primary key (account_id, tag, device_id))`,
  "create index device_tags_by_device on device_tags (device_id)",
  `create table device_groups (
    id text primary key,
    account_id text not null references accounts (id),
    name text not null,
    filter text not null,
    created_at bigint not null)`,
  "create index device_groups_by_account on device_groups (account_id, id)",
  `create table device_events (
    ${position},
    device_id text not null references devices (id),
    account_id text not null,
    at bigint not null,
    kind text not null,
    connection integer not null,
    command_id text,
    details text)`,
  "create index device_events_by_device on device_events (device_id, position)",
  "create index device_events_failed on device_events (account_id, at, device_id) where kind = 'failed'",
  "create index device_events_crashed on device_events (account_id, at, device_id) where kind = 'crashed'",
];

const catalogue = ({ bytewise, wordType }: Words) => {
  const byName = `(coalesce(name_order, lower(id)) ${bytewise}), id ${bytewise}`;
  return [
    `create table apps (
      id text primary key,
      publisher_id text not null references publishers (id),
      display_name text,
      name_order text,
      description text not null,
      author text not null,
      version text not null,
      size_bytes integer not null,
      icon_sha256 text,
      search_text text not null,
      downloads integer not null default 0,
      published_at bigint not null,
      retracted_at bigint,
      about text,
      category text,
      homepage_url text,
      source_url text,
      is_unlisted integer not null default 0)`,
    "create index apps_by_time on apps (published_at, id)",
    `create index apps_by_publisher on apps (publisher_id, id ${bytewise})`,
    // Without these, PostgreSQL sorts all apps for each page of a list: 18 ms for 10,000 apps, with them 0.4 ms.
    `create index apps_by_name on apps (${byName}) where retracted_at is null`,
    `create index apps_by_category on apps (category, ${byName}) where retracted_at is null`,
    `create index apps_by_downloads on apps (downloads, id ${bytewise}) where retracted_at is null`,
    `create index apps_listed on apps (published_at, id ${bytewise}) where retracted_at is null`,
    `create table app_versions (
      app_id text not null references apps (id),
      version text not null,
      version_order text not null,
      sha256 text not null,
      size_bytes integer not null,
      signature text not null,
      public_key text not null,
      manifest text not null,
      icon_sha256 text,
      lines_sha256 text,
      published_at bigint not null,
      withdrawn_at bigint,
      changelog text,
      review text,
      review_reason text,
      constraint app_versions_key primary key (app_id, version))`,
    "create index app_versions_in_order on app_versions (app_id, version_order)",
    "create index app_versions_waiting on app_versions (published_at) where review = 'waiting'",
    `create index app_versions_listed on app_versions (published_at)
      where review is null and withdrawn_at is null`,
    `create table app_screenshots (
      app_id text not null references apps (id),
      position integer not null,
      sha256 text not null,
      size_bytes integer not null,
      width integer not null,
      height integer not null,
      constraint app_screenshots_key primary key (app_id, position))`,
    "create index app_screenshots_by_file on app_screenshots (sha256)",
    `create table app_words (
      place integer not null,
      word ${wordType} not null,
      app_id text not null references apps (id),
      primary key (place, word, app_id))`,
    "create index app_words_by_app on app_words (app_id, place, word)",
    `create table firmware (
      arch text not null,
      version text not null,
      version_order text not null,
      publisher_id text not null references publishers (id),
      board text not null,
      sha256 text not null,
      size_bytes integer not null,
      signature text not null,
      public_key text not null,
      notes text not null,
      published_at bigint not null,
      withdrawn_at bigint,
      constraint firmware_key primary key (arch, version))`,
  ];
};

const commands = ({ position }: Words) => [
  `create table commands (
    ${position},
    id text not null unique,
    device_id text not null references devices (id),
    kind text not null,
    subject text not null,
    version text not null,
    state text not null,
    progress text,
    error text,
    sent_connection integer not null default 0,
    rollout_id text,
    allows_downgrade integer not null default 0,
    expires_at bigint,
    created_at bigint not null,
    updated_at bigint not null)`,
  "create unique index commands_pending on commands (device_id, subject) where state = 'pending'",
  // Of its own, since each process looks for them every few seconds, among all that are pending.
  "create index commands_unsent on commands (device_id) where state = 'pending' and sent_connection = 0",
  "create index commands_expiring on commands (expires_at) where state = 'pending'",
  "create index commands_by_device on commands (device_id, position)",
  "create index commands_by_rollout on commands (rollout_id, device_id, state)",
];

const rollouts = () => [
  `create table rollouts (
    id text primary key,
    account_id text not null references accounts (id),
    kind text not null,
    subject text not null,
    version text not null,
    steps text not null,
    step integer not null,
    state text not null,
    reason text,
    expires_at bigint,
    revision integer not null,
    counts text,
    counts_revision integer,
    created_at bigint not null,
    updated_at bigint not null)`,
  "create index rollouts_by_account on rollouts (account_id, created_at)",
  "create index rollouts_under_way on rollouts (account_id) where state in ('running', 'paused')",
  "create index rollouts_ended on rollouts (updated_at) where state in ('stopped', 'cancelled', 'completed')",
  "create index rollouts_stopped on rollouts (account_id, updated_at) where state = 'stopped'",
  `create table rollout_devices (
    rollout_id text not null references rollouts (id),
    device_id text not null references devices (id),
    position integer not null,
    state text not null,
    error text,
    updated_at bigint not null,
    constraint rollout_devices_key primary key (rollout_id, device_id))`,
  "create index rollout_devices_in_turn on rollout_devices (rollout_id, state, position)",
];

const webhooks = ({ position }: Words) => [
  `create table webhooks (
    id text primary key,
    account_id text not null references accounts (id),
    url text not null,
    events text not null,
    sealed_secret text not null,
    former_secret text,
    former_until bigint,
    created_at bigint not null,
    failures integer not null default 0,
    failing_since bigint,
    disabled_at bigint,
    dropped bigint not null default 0,
    due_at bigint,
    lease_id text,
    lease_until bigint)`,
  "create index webhooks_by_account on webhooks (account_id)",
  "create index webhooks_due on webhooks (due_at) where disabled_at is null",
  `create table webhook_deliveries (
    ${position},
    id text not null unique,
    webhook_id text not null,
    account_id text not null,
    event text not null,
    body text not null,
    state text not null,
    attempts integer not null,
    next_at bigint not null,
    status integer,
    error text,
    created_at bigint not null,
    updated_at bigint not null)`,
  "create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, position)",
  "create index webhook_deliveries_by_time on webhook_deliveries (created_at)",
  "create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at) where state = 'pending'",
  "create index webhook_deliveries_queued on webhook_deliveries (account_id) where state = 'pending'",
  "create index webhook_deliveries_ended on webhook_deliveries (webhook_id, position) where state <> 'pending'",
];

/** Inserts the apps of a row of `devices` whose JSON has just been stored. */
function reportedOf(dialect: Dialect): string {
  const list =
    dialect === "sqlite"
      ? "json_each(new.apps) as app"
      : "jsonb_array_elements(cast(new.apps as jsonb)) as app (value)";
  return `insert into installed_apps (device_id, app_id, account_id, version)
    select new.id, app.value ->> 'name', new.account_id, app.value ->> 'version' from ${list}
    where new.account_id is not null and new.apps is not null on conflict do nothing;`;
}

const DELETE_FORMER = "delete from installed_apps where device_id = new.id;";

/** The second one of each database is for restored backups, which hold the list as JSON alone. */
const SQLITE_TRIGGERS = Object.freeze([
  `create trigger devices_report after update of apps, account_id on devices
    when old.apps is not new.apps or old.account_id is not new.account_id
    begin ${DELETE_FORMER} ${reportedOf("sqlite")} end`,
  `create trigger devices_restored after insert on devices when new.apps is not null
    begin ${reportedOf("sqlite")} end`,
]);

const POSTGRES_TRIGGERS = Object.freeze([
  `create or replace function store_installed_apps() returns trigger language plpgsql as $$
    begin ${DELETE_FORMER} ${reportedOf("postgres")} return null; end $$`,
  `create trigger devices_report after update of apps, account_id on devices for each row
    when (old.apps is distinct from new.apps or old.account_id is distinct from new.account_id)
    execute function store_installed_apps()`,
  `create trigger devices_restored after insert on devices for each row
    when (new.apps is not null) execute function store_installed_apps()`,
  // Counts the changes of the catalogue, so that processes know whether the lists that they have made still hold
  // (`../../catalog/catalog-list.ts`); SQLite tells of writers itself (`../other-writers.ts`). Downloads are counted all
  // the time, and no list that is kept is sorted by them.
  `create or replace function count_catalog_change() returns trigger language plpgsql as $$
    begin update hub set catalog_revision = catalog_revision + 1; return null; end $$`,
  `create trigger apps_listed after insert or delete on apps for each row execute function count_catalog_change()`,
  `create trigger apps_changed after update on apps for each row
    when ((to_jsonb(old) - 'downloads') is distinct from (to_jsonb(new) - 'downloads'))
    execute function count_catalog_change()`,
]);
