/** Limits by windows of a minute. That they hold over several processes is tested on running hubs. */
import { afterEach, assert, beforeEach, expect, test } from "vitest";
import { RateLimits } from "../../../../hub/limits/rate-limits.js";
import { openTemporaryDatabase, type TemporaryDatabase } from "../database/temporary-database.js";

const MINUTE_MS = 60_000;
let opened: TemporaryDatabase;
let now: number;
let limits: RateLimits;
beforeEach(async () => {
  opened = await openTemporaryDatabase();
  now = 1_000_000 * MINUTE_MS;
  limits = new RateLimits({ database: opened.database, now: () => now });
});
afterEach(() => opened.close());

const take = async (times: number, key = "register 192.0.2.1") => {
  for (let index = 0; index < times; index += 1) await limits.consume(key, 3);
};

test("exactly the allowed number of requests passes", async () => {
  await take(3);
  await expect(take(1)).rejects.toMatchObject({ code: "too_many_attempts", status: 429 });
});

test("a rejection contains the seconds until the limit resets", async () => {
  now += 12_345;
  await take(3);
  await expect(take(1)).rejects.toMatchObject({ details: { retry_after_s: 48 } });
  now += 48_000;
  await take(3);
});

test("each key has its own limit", async () => {
  await take(3);
  await expect(take(1)).rejects.toMatchObject({ code: "too_many_attempts" });
  for (const other of ["register 192.0.2.2", "account 192.0.2.1"]) {
    await take(3, other);
    await expect(take(1, other)).rejects.toMatchObject({ code: "too_many_attempts" });
  }
});

test("concurrent requests are counted exactly", async () => {
  const takes = await Promise.allSettled(Array.from({ length: 20 }, () => take(1)));
  assert.equal(takes.filter(({ status }) => status === "fulfilled").length, 3);
});

test("a check refuses once one of its keys has been counted up to the limit, and counts nothing", async () => {
  const check = () => limits.check(["claim 192.0.2.1", "claim 1"], 3);
  await take(2, "claim 1");
  for (let times = 0; times < 5; times += 1) await check();
  await take(1, "claim 1");
  await expect(check()).rejects.toMatchObject({ code: "too_many_attempts", details: { retry_after_s: 60 } });
  now += MINUTE_MS;
  await check();
});

test("expired windows are deleted", async () => {
  for (let minute = 0; minute < 10; minute += 1, now += MINUTE_MS) await take(2);
  const { length } = await opened.database.selectFrom("rate_limits").selectAll().execute();
  assert.equal(length, 2); // the present one, and the one before it for clocks that are behind
});
