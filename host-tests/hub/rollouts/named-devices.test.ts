/** Rollouts to devices by their ids: as many as a fleet has (docs/spec/hub-rollouts.md#devices). */
import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, test } from "vitest";
import { inPieces } from "../../../hub/database/transactions.js";
import { HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import { request } from "../hosts/request.js";
import { withDatabase } from "../push/database-of.js";
import { type App, newApp } from "./rolling.js";

const MOST = 10_000;

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A rollout by ids on ${name}`, () => {
    let hub: HubUnderTest;
    let app: App;
    beforeAll(async () => {
      hub = await start();
      app = await newApp(hub);
    });
    afterAll(() => hub?.stop());

    const rollOut = (token: string, ids: readonly string[]) =>
      request(hub.origin, "POST", "/rollouts", {
        token,
        json: {
          kind: "app",
          app_id: app.app_id,
          devices: { ids },
          steps: [{ percent: 1 }, { percent: 100 }],
        },
      });

    test("accepts 10,000 of them, and no more", async () => {
      const { body } = await request(hub.origin, "POST", "/accounts");
      const ids = await devicesOf(hub, body.account_id);
      const made = await rollOut(body.account_token, ids);
      assert.deepEqual([made.status, made.body.total?.devices], [201, MOST]);
      const refused = await rollOut(body.account_token, [...ids, randomUUID()]);
      assert.deepEqual([refused.status, refused.body.error], [400, "bad_parameter"]);
    });
  });

/** Consoles that the account holds, and that have never connected. */
async function devicesOf(hub: HubUnderTest, accountId: string): Promise<readonly string[]> {
  const ids = Array.from({ length: MOST }, () => randomUUID());
  await withDatabase(hub, async (database) => {
    for (const piece of inPieces(ids))
      await database
        .insertInto("devices")
        .values(piece.map((id) => deviceRow(id, accountId)))
        .execute();
  });
  return ids;
}

let macs = 0;

function deviceRow(id: string, accountId: string) {
  const token_hash = createHash("sha256").update(id).digest("hex");
  const mac = (macs++)
    .toString(16)
    .toUpperCase()
    .padStart(12, "0")
    .replaceAll(/..(?=.)/g, "$&:");
  const said = { mac, name: "Console", arch: "native", firmware_version: "1.0.0" };
  const since = { registered_at: 1, last_seen_at: 1, status: null, process_id: null };
  return { ...said, ...since, id, token_hash, claim_code: null, account_id: accountId };
}
