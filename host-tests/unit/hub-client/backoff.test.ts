import fc from "fast-check";
import { expect, test } from "vitest";
import { LINK_BACKOFF } from "../../../hub-client/hub-link.js";
import { backoffMs, chanceOf } from "../../../hub-client/link-state.js";

test("a wait doubles with each failure up to five minutes, and half of it is random", () => {
  const shortest = [1, 2, 3, 8, 9, 40].map((failures) => backoffMs(failures, 0, LINK_BACKOFF));
  expect(shortest).toEqual([1_000, 2_000, 4_000, 128_000, 150_000, 150_000]);
  expect(backoffMs(1, 0.5, LINK_BACKOFF)).toBe(1_500);
});

test("waits are between one second and five minutes, and do not decrease with more failures", () => {
  const chances = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), chances, (failures, chance) => {
      const waitMs = backoffMs(failures, chance, LINK_BACKOFF);
      expect(Number.isInteger(waitMs)).toBe(true);
      expect(waitMs).toBeGreaterThanOrEqual(1_000);
      expect(waitMs).toBeLessThanOrEqual(300_000);
      expect(waitMs).toBeGreaterThanOrEqual(backoffMs(failures, 0, LINK_BACKOFF));
      expect(backoffMs(failures + 1, chance, LINK_BACKOFF)).toBeGreaterThanOrEqual(waitMs);
    }),
  );
});

test("the random factor is from 0 to less than 1", () => {
  const ofBytes = (first: number, second: number) =>
    chanceOf({ getRandomValues: (into) => into.set([first, second]) });
  expect([ofBytes(0, 0), ofBytes(128, 0), ofBytes(255, 255)]).toEqual([0, 0.5, 65535 / 65536]);
});
