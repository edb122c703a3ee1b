/** V8 and the validator agree about changed modules of the corpus (`changed-modules.ts`). */
import { expect, test } from "vitest";
import { COUNT, eachChangedModule, SEED } from "./changed-modules.js";
import { isCorpusMissing } from "./corpus.js";
import { compareWithV8 } from "./verdicts.js";

test.skipIf(isCorpusMissing)(
  `V8 and the validator agree about ${COUNT} changed modules, seed ${SEED} (skipped where ../shared/testdata is absent)`,
  { timeout: Math.max(120_000, COUNT) },
  () => {
    console.log(`changed modules: SVC_FUZZ_SEED=${SEED}`);
    let taken = 0;
    eachChangedModule(
      (bytes) => compareWithV8(bytes).isTaken,
      (bytes, round, _below, isChanged) => {
        const { disagreement, isTaken } = compareWithV8(bytes);
        if (isTaken && isChanged) taken++;
        if (disagreement === undefined) return;
        expect.fail(`${disagreement} (seed ${SEED}, round ${round}): ${Buffer.from(bytes).toString("hex")}`);
      },
    );
    expect(taken).toBeGreaterThan(COUNT / 50);
  },
);
