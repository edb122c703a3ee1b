/** Runs `npm run test:soak` on each heap, for a time that depends on the tier. */
import { expect, test } from "vitest";
import { heapVariants } from "../../hosts/simulator.js";
import { LEFT_LIMIT_BYTES, soak } from "../../soak/mixed-load.js";
import { inTier } from "../../tier.js";

const SECONDS = inTier({ quick: 20, sample: 20, nightly: 600 });

test.each(heapVariants)(
  "23 apps, eight connections, USB, a hub, viewers and installs do not exhaust the heap (%s)",
  async (variant) => {
    const { answers, troubles, liveBytesBefore, liveBytesAfter } = await soak(variant, SECONDS);
    expect(troubles).toEqual([]);
    expect(answers["200"]).toBeGreaterThan(100);
    expect(liveBytesAfter - liveBytesBefore).toBeLessThan(LEFT_LIMIT_BYTES[variant]);
  },
  (2 * SECONDS + 180) * 1000,
);
