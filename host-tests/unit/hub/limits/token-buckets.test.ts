/** Budgets in memory. */
import { describe, expect, test } from "vitest";
import { TokenBuckets } from "../../../../hub/limits/token-buckets.js";

let now = 0;

function buckets(perMinute: number, limit?: number): TokenBuckets {
  now = 1000;
  return new TokenBuckets(perMinute, () => now, limit);
}

function take(from: TokenBuckets, times: number, key = "a") {
  let last: ReturnType<TokenBuckets["take"]>;
  for (let at = 0; at < times; at++) last = from.take(key);
  return last;
}

describe("A budget", () => {
  test("a call that is not to fail is allowed or not, from the same bucket", () => {
    const buckets = new TokenBuckets(2, () => 0);
    buckets.take("one");
    expect([buckets.allows("one"), buckets.allows("one"), buckets.allows("other")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("is a minute's calls at once, and no more", () => {
    const from = buckets(60);
    take(from, 60);
    expect(() => take(from, 1)).toThrow(
      expect.objectContaining({ code: "too_many_attempts", details: { retry_after_s: 1 } }),
    );
  });

  test("refills evenly, up to a minute's calls", () => {
    const from = buckets(60);
    take(from, 60);
    now += 1500;
    take(from, 1);
    expect(() => take(from, 1)).toThrow();
    now += 500;
    take(from, 1);
    now += 3_600_000;
    take(from, 60);
    expect(() => take(from, 1)).toThrow();
  });

  test("tells how long to wait where calls are few", () => {
    const from = buckets(2);
    take(from, 2);
    expect(() => take(from, 1)).toThrow(expect.objectContaining({ details: { retry_after_s: 30 } }));
    now += 29_999;
    expect(() => take(from, 1)).toThrow(expect.objectContaining({ details: { retry_after_s: 1 } }));
    now += 1;
    take(from, 1);
  });

  test("is not lost by calls that were refused", () => {
    const from = buckets(60);
    take(from, 60);
    for (let at = 0; at < 7; at++) {
      now += 125;
      expect(() => take(from, 1)).toThrow();
    }
    now += 125;
    take(from, 1);
  });

  test("is as before once a call was given back, and never more than a minute's calls", () => {
    const from = buckets(3);
    take(from, 3);
    from.giveBack("a");
    take(from, 1);
    expect(() => take(from, 1)).toThrow();
    from.giveBack("b");
    take(from, 3, "b");
    expect(() => take(from, 1, "b")).toThrow();
  });

  test("is told once less than half of it is left", () => {
    const from = buckets(60);
    expect(take(from, 30)).toBeUndefined();
    expect(take(from, 1)).toEqual({ perMinute: 60, remaining: 29, resetS: 31 });
    expect(take(from, 29)).toEqual({ perMinute: 60, remaining: 0, resetS: 60 });
  });

  test("is each caller's own", () => {
    const from = buckets(3);
    take(from, 3, "a");
    take(from, 3, "b");
    for (const key of ["a", "b"]) expect(() => take(from, 1, key)).toThrow();
  });

  test("is remembered while other callers come, unless they are more than half of the limit", () => {
    const from = buckets(3, 20);
    take(from, 3, "a");
    for (let other = 0; other < 15; other++) take(from, 1, `other ${other}`);
    expect(() => take(from, 1, "a")).toThrow();
    for (let other = 0; other < 30; other++) take(from, 1, `another ${other}`);
    take(from, 3, "a");
  });
});
