/** As in http-head.test.ts, 100,000 changed heads, and 2,000 in CI's sample. */
import { expect, test } from "vitest";
import { inTier } from "../../tier.js";
import { compareHeads } from "./head-mutation.js";
import { SEED } from "./mutations.js";

const COUNT = Number(
  process.env["SVC_FUZZ_COUNT"] ?? inTier({ quick: 2_000, sample: 2_000, nightly: 100_000 }),
);

test(`Node and the sandboxed parser agree about ${COUNT} changed heads, seed ${SEED}`, {
  timeout: 600_000,
}, async () => {
  const { valid } = await compareHeads(COUNT);
  expect(valid).toBeGreaterThan(COUNT / 10);
});
