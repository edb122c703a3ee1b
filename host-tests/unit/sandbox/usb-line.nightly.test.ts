/** As in usb-line.test.ts, 100,000 changed lines, and 2,000 in CI's sample. */
import { expect, test } from "vitest";
import { inTier } from "../../tier.js";
import { compareLines } from "./line-mutation.js";
import { SEED } from "./mutations.js";

const COUNT = Number(
  process.env["SVC_FUZZ_COUNT"] ?? inTier({ quick: 2_000, sample: 2_000, nightly: 100_000 }),
);

test(`${COUNT} changed lines give the same messages, seed ${SEED}`, { timeout: 900_000 }, () => {
  expect(compareLines(COUNT).cut).toBeGreaterThan(COUNT / 10);
});
