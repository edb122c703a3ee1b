/**
 * 100,000 changed gzip files a run, and 2,000 in CI's sample. The seed is printed; `SVC_FUZZ_SEED` takes it back,
 * `SVC_FUZZ_COUNT` runs longer.
 */
import { expect, test } from "vitest";
import { inTier } from "../../../tier.js";
import { compareChangedFiles } from "./inflater-mutation.js";

const COUNT = Number(
  process.env["SVC_FUZZ_COUNT"] ?? inTier({ quick: 2_000, sample: 2_000, nightly: 100_000 }),
);
const SEED = Number(process.env["SVC_FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31)) >>> 0 || 1;

test(`${COUNT} changed files give the same in inflater and zlib, seed ${SEED}`, {
  timeout: Math.max(600_000, 10 * COUNT),
}, () => {
  const { accepted } = compareChangedFiles(COUNT, SEED);
  expect(accepted).toBeGreaterThan(COUNT / 10);
});
