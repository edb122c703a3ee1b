/** The validator agrees with its judges about changed modules of the corpus (`changed-modules.ts`), in pieces of any size. */
import { expect, test } from "vitest";
import { COUNT, eachChangedModule, SEED } from "./changed-modules.js";
import { isCorpusMissing } from "./corpus.js";
import { PREAMBLE } from "./module-builder.js";
import { faultOf, validate } from "./preparation.js";
import { compareWithJudges } from "./verdicts.js";

const OPTIONS = { memoryQuotaBytes: 3 * 65_536, entry: "run" };

/** Without an entry in every second round: most modules have none of that name. */
const optionsOf = (round: number) => (round % 4 < 2 ? {} : OPTIONS);

test.skipIf(isCorpusMissing)(
  `V8, wabt and the oracle agree with the validator about ${COUNT} changed modules, seed ${SEED} (skipped where ../shared/testdata is absent)`,
  { timeout: Math.max(120_000, 2 * COUNT) },
  () => {
    console.log(`changed modules: SVC_FUZZ_SEED=${SEED}`);
    let taken = 0;
    eachChangedModule(
      (bytes) => compareWithJudges(bytes).isTaken,
      (bytes, round, below, isChanged) => {
        const cuts = Array.from({ length: below(5) }, () => below(bytes.length + 1));
        const { disagreement, isTaken, fault } = compareWithJudges(bytes, optionsOf(round), cuts);
        if (isTaken && isChanged) taken++;
        const which = () => `seed ${SEED}, round ${round}: ${Buffer.from(bytes).toString("hex")}`;
        if (disagreement !== undefined) expect.fail(`${disagreement} (${which()})`);
        if (fault)
          expect(
            faultOf(() => validate(bytes, optionsOf(round))),
            which(),
          ).toEqual(fault);
      },
    );
    expect(taken).toBeGreaterThan(COUNT / 50);
  },
);

test.each([3, 4, 5, 6, 7])(
  "a data segment of kind %i, which only element segments have, is invalid",
  (kind) => {
    const bytes = Uint8Array.from([...PREAMBLE, 5, 3, 1, 0, 1, 11, 7, 1, kind, 0x41, 0, 0x0b, 1, 97]);
    const { disagreement, fault } = compareWithJudges(bytes);
    expect(disagreement).toBeUndefined();
    expect(fault?.message).toContain(`${kind} is not a kind of data segment`);
  },
);
