/**
 * Finds the devices whose tokens ask for a push channel. After a restart all of them come at once: those that come together
 * are looked up by one statement.
 */
import type { Authentication } from "../auth/authentication.js";
import { Batch } from "../batch.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { matchesAnyToken, promoteToken } from "../devices/former-tokens.js";

export interface FoundDevice {
  readonly deviceId: string;
  /** The rotation that this connection with the new token completes; `null` for none. */
  readonly acceptedId: string | null;
}

type FoundRow = Pick<Row<"devices">, "id" | "token_hash">;

interface LookUp {
  readonly tokenHash: string;
  readonly resolve: (row: FoundRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const LIMIT = 500;
const DELAY_MS = 1;

export interface DeviceLookUpOptions extends Pick<HubContext, "database" | "dialect" | "hasher"> {
  readonly authentication: Authentication;
}

export class DeviceLookUp {
  readonly #options: DeviceLookUpOptions;
  readonly #lookUps: Batch<LookUp>;

  constructor(options: DeviceLookUpOptions) {
    this.#options = options;
    this.#lookUps = new Batch<LookUp>({
      limit: LIMIT,
      delayMs: DELAY_MS,
      write: (lookUps) => this.#lookUp(lookUps),
      onFailed: (lookUps, error) => {
        for (const { reject } of lookUps) reject(error);
      },
    });
  }

  /** Finds the device of a token. The first use of a device's next token invalidates the previous one. */
  async find(token: string): Promise<FoundDevice | undefined> {
    const { authentication, database, hasher } = this.#options;
    const tokenHash = hasher.hash(token);
    const row = await new Promise<FoundRow | undefined>((resolve, reject) =>
      this.#lookUps.add({ tokenHash, resolve, reject }),
    );
    if (!row || row.token_hash === tokenHash) return row && { deviceId: row.id, acceptedId: null };
    const promoted = await promoteToken(database, tokenHash);
    authentication.clearCache();
    return promoted && { deviceId: promoted.device.id, acceptedId: promoted.rotationId };
  }

  async #lookUp(lookUps: readonly LookUp[]): Promise<void> {
    const { database, dialect } = this.#options;
    const tokenHashes = lookUps.map(({ tokenHash }) => tokenHash);
    const rows = await database
      .selectFrom("devices")
      .select(["id", "token_hash", "next_token_hash"])
      .where(matchesAnyToken(dialect, tokenHashes))
      .execute();
    const found = new Map<string | null, FoundRow>();
    for (const row of rows) found.set(row.next_token_hash, row);
    for (const row of rows) found.set(row.token_hash, row); // which counts more than another device's next one
    for (const { tokenHash, resolve } of lookUps) resolve(found.get(tokenHash));
  }
}
