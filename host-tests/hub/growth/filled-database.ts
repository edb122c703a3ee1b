/** Fills the PostgreSQL database of a hub with rows like those of years of use, in a few statements. */
import pg from "pg";

export interface Sizes {
  readonly accounts: number;
  readonly devices: number;
  readonly apps: number;
  /** Ended commands of each device, which has a pending one besides. */
  readonly commandsPerDevice: number;
}

/** @param from rows of the same kinds that are there already, as an earlier call has made them */
export async function fill(
  url: string,
  { accounts, devices, apps, commandsPerDevice }: Sizes,
  from = 0,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const statements = [
      `insert into accounts (id, token_hash, created_at)
         select 'account ' || n, 'account ' || n, 0 from generate_series(0, ${accounts - 1}) n on conflict do nothing`,
      `insert into devices (id, token_hash, mac, name, arch, firmware_version, claim_code, account_id, registered_at, last_seen_at)
         select 'device ' || n, 'device ' || n, 'mac ' || n, 'Console-' || n, 'native', '0.' || n % 7 || '.0',
           case n % 20 when 0 then 'code ' || n end, case n % 20 when 0 then null else 'account ' || n % ${accounts} end,
           n, n
         from generate_series(${from}, ${devices - 1}) n`,
      `insert into commands (id, device_id, kind, subject, version, state, sent_connection, created_at, updated_at)
         select 'command ' || n || ' ' || m, 'device ' || n, 'install', 'app ' || m, '1.0.0', 'done', 1, m, m
         from generate_series(${from}, ${devices - 1}) n, generate_series(1, ${commandsPerDevice}) m`,
      `insert into commands (id, device_id, kind, subject, version, state, sent_connection, expires_at, created_at, updated_at)
         select 'pending ' || n, 'device ' || n, 'firmware', '', '9.0.0', 'pending', 0, 9e15, 1, 1
         from generate_series(${from}, ${devices - 1}) n`,
      `insert into device_apps (device_id, app_id, version, state, updated_at)
         select 'device ' || n, 'app ' || m, '1.0.0', 'installed', 1
         from generate_series(${from}, ${devices - 1}) n, generate_series(1, 3) m`,
      `insert into publishers (id, name, token_hash, created_at)
         values ('publisher', 'A publisher of many apps', 'publisher', 0) on conflict do nothing`,
      `insert into apps (id, publisher_id, description, author, version, size_bytes, search_text, published_at)
         select 'app ' || n, 'publisher', 'What app ' || n || ' is for', 'Ada', '1.0.0', 1000, 'app ' || n || ' is for', n
         from generate_series(0, ${apps - 1}) n on conflict do nothing`,
      `insert into app_versions (app_id, version, version_order, sha256, size_bytes, signature, manifest, published_at, public_key)
         select 'app ' || n, '1.0.0', '1.0.0', md5(n::text) || md5(n::text), 1000, '', '{}', n, ''
         from generate_series(0, ${apps - 1}) n on conflict do nothing`,
      `insert into audit (account_id, at, actor, action, names, address, status)
         select 'account ' || n % ${accounts}, 9e12 + n, 'account', 'POST /rollouts', '{}', '192.0.2.1', 201
         from generate_series(${from}, ${devices - 1}) n`,
      `insert into rollouts (id, account_id, kind, subject, version, steps, step, state, revision, created_at, updated_at, expires_at)
         select 'rollout ' || n, 'account ' || n % ${accounts}, 'app', 'app 1', '1.0.0', '[]', 0, 'completed', 1, 9e12, 9e12, 9e12
         from generate_series(${Math.ceil(from / 100)}, ${devices / 100 - 1}) n`,
      `insert into rollout_devices (rollout_id, device_id, position, state, updated_at)
         select 'rollout ' || n / 100, 'device ' || n, n % 100, 'succeeded', 1
         from generate_series(${from}, ${devices - 1}) n`,
      "analyze",
    ];
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
