/**
 * The sandboxed program and the reference in TypeScript say the same of changed modules of the corpus
 * (`changed-modules.ts`), in pieces of any size: the same fault to the letter, or the same facts and prepared bytes.
 */
import { expect, test } from "vitest";
import { Fault } from "../../../protocol/fault.js";
import { COUNT, eachChangedModule, SEED } from "./changed-modules.js";
import { isCorpusMissing } from "./corpus.js";
import { prepare } from "./preparation.js";
import { referencePrepare } from "./reference.js";

const OPTIONS = { memoryQuotaBytes: 3 * 65_536, entry: "run" };

function outcomeOf(attempt: () => { facts: object; bytes: Uint8Array }): object {
  try {
    const { facts, bytes } = attempt();
    return { facts, bytes: Buffer.from(bytes).toString("hex") };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { code: error.code, message: error.message, details: error.details };
  }
}

/** Without an entry in every second round: most modules have none of that name. */
const optionsOf = (round: number) => (round % 4 < 2 ? {} : OPTIONS);

test.skipIf(isCorpusMissing)(
  `the sandboxed validator and the reference agree about ${COUNT} changed modules, seed ${SEED} (skipped where ../shared/testdata is absent)`,
  { timeout: Math.max(120_000, 2 * COUNT) },
  () => {
    console.log(`changed modules: SVC_FUZZ_SEED=${SEED}`);
    let taken = 0;
    eachChangedModule(
      (bytes) => "facts" in outcomeOf(() => prepare(bytes)),
      (bytes, round, below) => {
        const cuts = Array.from({ length: below(5) }, () => below(bytes.length + 1));
        const ours = outcomeOf(() => prepare(bytes, optionsOf(round), cuts));
        if ("facts" in ours) taken++;
        const wanted = outcomeOf(() => referencePrepare(bytes, optionsOf(round)));
        expect(ours, `seed ${SEED}, round ${round}: ${Buffer.from(bytes).toString("hex")}`).toEqual(wanted);
      },
    );
    expect(taken).toBeGreaterThan(COUNT / 200);
  },
);
