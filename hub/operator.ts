/**
 * The operator's commands, run in the hub's environment (docs/spec/hub-api.md#publisher-operator). They use the hub's
 * settings and database, no server, and work whether or not the hub runs. An incomplete environment would create
 * another hub, or tokens that the hub does not know. So the commands create a hub, or a secret, only for SQLite and
 * with its first publisher.
 */
import { existsSync } from "node:fs";
import { OperatorAccounts } from "./accounts/operator-accounts.js";
import { TokenHasher } from "./auth/tokens.js";
import { backUp } from "./backup/back-up.js";
import type { BackupDescription } from "./backup/backup-format.js";
import { Reviews } from "./catalog/reviews.js";
import { provideSecret, storedSecret } from "./config/provide-secret.js";
import { type HubConfig, readConfig } from "./config/read-config.js";
import { ConfigError, type Environment, text } from "./config/variables.js";
import { openDatabase } from "./database/open-database.js";
import { sqlitePath } from "./database/sqlite.js";
import { openFileStore } from "./files/file-store.js";
import { Publishers } from "./publishers/publishers.js";

export interface OperatorOptions {
  /** Receives messages for the operator. */
  readonly onNotice?: (notice: string) => void;
  /** Whether to create a hub on SQLite if there is none yet. */
  readonly createsHub?: boolean;
}

/** What the operator manages. */
export interface OperatorServices {
  readonly accounts: OperatorAccounts;
  readonly publishers: Publishers;
  readonly reviews: Reviews;
  /** Writes a backup into a new directory: see backup/back-up.ts. */
  readonly backUp: (directory: string) => Promise<BackupDescription>;
}

/**
 * Calls `use` with the services of this environment's hub.
 * @throws {ConfigError} for unusable settings, for a secret that is not the hub's, and if there is no hub
 * @throws {Error} if the database is unreachable
 */
export async function withOperator<Result>(
  environment: Environment,
  use: (services: OperatorServices) => Promise<Result>,
  { onNotice, createsHub = false }: OperatorOptions = {},
): Promise<Result> {
  const mayCreate = createsHub && text(environment, "SVC_HUB_DATABASE_URL") === undefined;
  const config = await readConfig(environment, onNotice, mayCreate ? provideSecret : requireStoredSecret);
  if (!mayCreate) requireFile(config);
  const { database, dialect } = await openDatabase(config, undefined, mayCreate);
  try {
    const hasher = new TokenHasher(config.secret);
    const files = await openFileStore(config);
    const accounts = new OperatorAccounts({ database, hasher, now: Date.now });
    const publishers = new Publishers({ database, hasher, now: Date.now });
    const reviews = new Reviews({ database, dialect, now: Date.now });
    const { storagePath } = config;
    return await use({
      accounts,
      publishers,
      reviews,
      backUp: (directory) => backUp({ database, dialect, files, storagePath }, directory),
    });
  } finally {
    await database.destroy();
  }
}

/** Like {@link withOperator}, for the publishers alone. */
export function withPublishers<Result>(
  environment: Environment,
  use: (publishers: Publishers) => Promise<Result>,
  options?: OperatorOptions,
): Promise<Result> {
  return withOperator(environment, ({ publishers }) => use(publishers), options);
}

async function requireStoredSecret(storagePath: string): Promise<string> {
  const secret = await storedSecret(storagePath);
  if (secret !== undefined) return secret;
  throw new ConfigError(
    `SVC_HUB_SECRET is not set, and there is none in "${storagePath}": there is no hub, or it is another one`,
  );
}

/** SQLite would create a missing file. */
function requireFile({ databaseUrl, storagePath }: HubConfig): void {
  if (databaseUrl === undefined && !existsSync(sqlitePath(storagePath)))
    throw new ConfigError(`There is no hub in "${storagePath}" yet: its first publisher makes it`);
}

/**
 * Adds a publisher.
 * @param pem the publisher's first key
 * @param firmware the architectures for which the publisher may publish firmware
 * @returns the token, which cannot be shown again
 * @throws {Fault} `bad_parameter`, `keys_invalid`, `publisher_exists`
 */
export function addPublisher(
  environment: Environment,
  name: string,
  pem: string,
  onNotice: OperatorOptions["onNotice"] = () => {},
  firmware: readonly string[] = [],
): Promise<{ readonly publisher_id: string; readonly token: string }> {
  const add = (publishers: Publishers) => publishers.add(name, pem, firmware);
  return withPublishers(environment, add, { onNotice, createsHub: true });
}
