/** The devices of a rollout and their order. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../../hub/database/schema.js";
import { inPieces } from "../../../../hub/database/transactions.js";
import { type SelectionContext, selectDevices } from "../../../../hub/rollouts/device-selection.js";
import { openMemoryDatabase } from "../database/temporary-database.js";

const DEVICES = 5000;
const ACCOUNT = "account";
const STEP = { success_percent: 100, error_percent: 100 };
const ONE_STEP = [{ ...STEP, percent: 100 }];

let database: Database;
let ids: readonly string[];
beforeAll(async () => {
  database = await openMemoryDatabase();
  await database.insertInto("accounts").values({ id: ACCOUNT, token_hash: ACCOUNT, created_at: 0 }).execute();
  ids = Array.from({ length: DEVICES }, () => randomUUID());
  for (const piece of inPieces(ids))
    await database
      .insertInto("devices")
      .values(
        piece.map((id) => ({
          id,
          token_hash: id,
          mac: id,
          name: id,
          arch: "xtensa",
          firmware_version: "0.1.0",
          account_id: ACCOUNT,
          registered_at: 0,
        })),
      )
      .execute();
});
afterAll(() => database.destroy());

function select(
  steps: readonly { readonly percent: number }[],
  filter?: { readonly ids: readonly string[] },
) {
  const context = { database, dialect: "sqlite", now: () => 0 } as unknown as SelectionContext;
  const payload = { kind: "app", subject: "game", version: "1.0.0" } as const;
  return selectDevices(context, {
    rolloutId: randomUUID(),
    accountId: ACCOUNT,
    payload,
    filter: filter && { ids: [...filter.ids] },
    steps: steps.map((step) => ({ ...STEP, ...step })),
  });
}

/** How often an id is followed by a smaller one. */
function falls(order: readonly string[]): number {
  return order.filter((id, at) => at > 0 && id < (order[at - 1] as string)).length;
}

test("a rollout is for each device once", async () => {
  for (const steps of [ONE_STEP, [{ percent: 1 }, { percent: 10 }, { percent: 100 }]])
    expect([...(await select(steps))].sort()).toEqual([...ids].sort());
});

test("the devices of each step are in the order of their ids, from one of them on", async () => {
  const order = await select([{ percent: 10 }, { percent: 40 }, { percent: 100 }]);
  const steps = [order.slice(0, 500), order.slice(500, 2000), order.slice(2000)];
  for (const step of steps) expect(falls(step)).toBeLessThanOrEqual(1);
});

test("each rollout begins with other devices, which are from all over the account", async () => {
  const steps = [{ percent: 2 }, { percent: 100 }];
  const [one, other] = (await Promise.all([select(steps), select(steps)])).map((order) =>
    order.slice(0, 100),
  );
  const common = one?.filter((id) => other?.includes(id)) ?? [];
  expect(common.length).toBeLessThan(25); // two of a hundred on average
  const firstDigits = new Set(one?.map((id) => id[0]));
  expect(firstDigits.size).toBeGreaterThan(10);
});

test("each rollout in one step begins with another device", async () => {
  const first = await Promise.all(Array.from({ length: 8 }, async () => (await select(ONE_STEP))[0]));
  expect(new Set(first).size).toBeGreaterThan(4);
});

test("devices that are named in any order are in that of their ids, too", async () => {
  const named = ids.slice(0, 300);
  const order = await select(ONE_STEP, { ids: named });
  expect([...order].sort()).toEqual([...named].sort());
  expect(falls(order)).toBeLessThanOrEqual(1);
});
