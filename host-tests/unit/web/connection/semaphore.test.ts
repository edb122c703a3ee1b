/** So many at a time, in the order in which they came. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { Semaphore } from "../../../../web/connection/browser-http.js";

test("at most the limit run at a time, all of them run, and in the order of their calls", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(5), fails: fc.boolean() }), { maxLength: 20 }),
      async (limit, jobs) => {
        const gate = new Semaphore(limit);
        const begun: number[] = [];
        let running = 0;
        const work = async ({ turns, fails }: { turns: number; fails: boolean }, index: number) => {
          begun.push(index);
          assert.ok(++running <= limit, "Too many at a time");
          for (let turn = 0; turn < turns; turn++) await undefined;
          running--;
          if (fails) throw new Error(`${index}`);
          return index;
        };
        const outcomes = await Promise.allSettled(jobs.map((job, index) => gate.run(() => work(job, index))));
        assert.deepEqual(
          begun,
          jobs.map((_, index) => index),
        );
        outcomes.forEach((outcome, index) => {
          if (outcome.status === "fulfilled") assert.equal(outcome.value, index);
          else assert.equal(outcome.reason.message, `${index}`);
          assert.equal(outcome.status === "rejected", jobs[index]?.fails);
        });
      },
    ),
  ));
