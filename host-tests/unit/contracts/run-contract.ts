/** Runs a contract suite under Vitest, one test a case. */
import { describe, test } from "vitest";
import type { ContractCase } from "../../contracts/assert.js";

/** @param makePort a port for one case, with nothing of another in it */
export function runContract<Port>(
  name: string,
  contract: readonly ContractCase<Port>[],
  makePort: () => Port,
): void {
  describe(name, () => {
    for (const { name, run } of contract) test(name, () => run(makePort()));
  });
}
