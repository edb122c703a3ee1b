/** As in http-head.test.ts, 100,000 changed heads. */
import { expect, test } from "vitest";
import { compareHeads } from "./head-mutation.js";
import { SEED } from "./mutations.js";

const COUNT = Number(process.env["SVC_FUZZ_COUNT"] ?? 100_000);

test(`${COUNT} changed heads give the same heads and faults, seed ${SEED}`, { timeout: 600_000 }, () => {
  const { valid } = compareHeads(COUNT);
  expect(valid).toBeGreaterThan(COUNT / 10);
});
