/** Consoles of an account, written into the database: a fleet that would take minutes to register. */
import { createHash, randomUUID } from "node:crypto";
import type { Database } from "../../../hub/database/schema.js";
import { inPieces } from "../../../hub/database/transactions.js";

export interface InsertedDevice {
  readonly name?: string;
  readonly mac?: string;
  readonly arch?: string;
  readonly firmware_version?: string;
  readonly last_seen_at?: number | null;
  readonly process_id?: string | null;
  readonly status?: string;
  readonly apps?: readonly { readonly name: string; readonly version: string }[];
}

/** @returns the ids, in the order of the facts */
export async function insertDevices(
  database: Database,
  accountId: string,
  facts: readonly InsertedDevice[],
): Promise<readonly string[]> {
  const rows = facts.map(({ apps, ...known }, index) => {
    const id = randomUUID();
    const octets = createHash("sha256").update(id).digest("hex").slice(0, 10).toUpperCase();
    return {
      id,
      token_hash: `test ${id}`,
      mac: `02${octets}`.replace(/..(?=.)/g, "$&:"),
      name: `Console ${index}`,
      arch: "native",
      firmware_version: "1.0.0",
      claim_code: null,
      account_id: accountId,
      process_id: null,
      registered_at: Date.now(),
      last_seen_at: Date.now(),
      status: null,
      apps:
        apps === undefined ? null : JSON.stringify(apps.map((app) => ({ ...app, size: 1, running: false }))),
      ...known,
    };
  });
  for (const piece of inPieces(rows)) await database.insertInto("devices").values(piece).execute();
  return rows.map(({ id }) => id);
}
