/** The preview of a rollout's steps. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stepEnds } from "../../../../hub/rollouts/rollout-state.js";
import { stepSizes } from "../../../../web/fleet/step-sizes.js";

describe("The sizes of the steps of a rollout", () => {
  test("are whole consoles, rounded up, and all of them in the end", () => {
    expect(stepSizes([1, 10, 50, 100], 25)).toEqual([1, 2, 10, 12]);
    expect(stepSizes([10, 100], 1)).toEqual([1, 0]);
  });

  test("are those that the hub plans", () => {
    const percents = fc
      .uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 19 })
      .map((some) => [...some.sort((a, b) => a - b), 100]);
    fc.assert(
      fc.property(percents, fc.nat(200_000), (ends, devices) => {
        const steps = ends.map((percent) => ({ percent, success_percent: 100, error_percent: 100 }));
        const planned = stepEnds(steps, devices);
        expect(stepSizes(ends, devices)).toEqual(planned.map((end, at) => end - (planned[at - 1] ?? 0)));
      }),
    );
  });
});
