/** Attempts and turns of webhooks. */
import { describe, expect, test } from "vitest";
import {
  afterAttempt,
  afterTurn,
  type CompletedAttempt,
  turnWaitMs,
} from "../../../../hub/webhooks/delivery-state.js";

const answered = (status: number): CompletedAttempt => ({ kind: "answered", status });
const SILENT: CompletedAttempt = { kind: "failed", error: "timeout" };
const HOUR_MS = 3_600_000;
const NEW = { failures: 0, failing_since: null, disabled_at: null };

describe("A delivery", () => {
  for (const status of [200, 204, 299])
    test(`is over after ${status}`, () => {
      expect(afterAttempt({ attempts: 2 }, answered(status), 1000, 0.5)).toEqual({
        state: "delivered",
        attempts: 3,
        next_at: 1000,
        status,
        error: null,
      });
    });

  for (const attempt of [SILENT, ...[199, 301, 302, 307, 400, 404, 410, 429, 500, 503].map(answered)])
    test(`is tried again after ${attempt.kind === "answered" ? attempt.status : attempt.error}`, () => {
      expect(afterAttempt({ attempts: 0 }, attempt, 1000, 0)).toMatchObject({
        state: "pending",
        attempts: 1,
        next_at: 6000,
      });
    });

  test("has ten attempts in about three days", () => {
    let [attempts, now, state] = [0, 0, "pending"];
    const waits: number[] = [];
    while (state === "pending") {
      const after = afterAttempt({ attempts }, SILENT, now, 0);
      waits.push(after.next_at - now);
      ({ attempts, next_at: now, state } = after);
    }
    expect([attempts, state]).toEqual([10, "failed"]);
    expect(waits.slice(0, 4)).toEqual([5000, 300_000, 1_800_000, 7_200_000]);
    expect(now / HOUR_MS).toBeCloseTo(75.6, 0);
  });

  test("varies its waits", () => {
    const wait = (random: number) => afterAttempt({ attempts: 1 }, SILENT, 0, random).next_at;
    expect([wait(0), wait(1)]).toEqual([300_000, 330_000]);
  });
});

describe("A webhook", () => {
  test("fails while no attempt of a turn succeeds, and is well after one that does", () => {
    const first = afterTurn(NEW, [answered(500), SILENT], 1000);
    expect(first).toEqual({ failures: 1, failing_since: 1000, disabled_at: null });
    const second = afterTurn(first, [SILENT], 2000);
    expect(second).toEqual({ failures: 2, failing_since: 1000, disabled_at: null });
    expect(afterTurn(second, [SILENT, answered(200)], 3000)).toEqual(NEW);
  });

  test("is disabled after five days of failures, or once its receiver is gone", () => {
    const failing = { failures: 9, failing_since: 0, disabled_at: null };
    expect(afterTurn(failing, [SILENT], 120 * HOUR_MS - 1).disabled_at).toBeNull();
    expect(afterTurn(failing, [SILENT], 120 * HOUR_MS).disabled_at).toBe(120 * HOUR_MS);
    expect(afterTurn(NEW, [answered(200), answered(410)], 5).disabled_at).toBe(5);
  });

  test("waits five minutes at most between two turns that fail", () => {
    expect([0, 1, 2, 3, 100].map((failures) => turnWaitMs(failures, 0))).toEqual([
      ...[0, 5000, 300_000, 300_000, 300_000],
    ]);
  });
});
