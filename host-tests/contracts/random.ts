/** Contract of every Random, limited to checks that practically never fail by chance. */
import type { Random } from "../../protocol/ports/runtime.js";
import { type ContractCase, equal, hexOf, throws } from "./assert.js";

export const RANDOM_CONTRACT: readonly ContractCase<Random>[] = [
  {
    name: "each of 100 calls returns different bytes",
    run(random) {
      const seen = new Set<string>();
      for (let count = 0; count < 100; count++) {
        const bytes = new Uint8Array(16);
        random.getRandomValues(bytes);
        seen.add(hexOf(bytes));
      }
      equal(seen.size, 100, "different values of 16 bytes");
    },
  },
  {
    name: "getRandomValues() fills a long buffer to its last byte",
    run(random) {
      // After 32 rounds a byte is 0 by chance with a probability of 2 to the -256.
      const merged = new Uint8Array(1000);
      for (let round = 0; round < 32; round++) {
        const bytes = new Uint8Array(merged.length);
        random.getRandomValues(bytes);
        for (let index = 0; index < merged.length; index++)
          merged[index] = (merged[index] ?? 0) | (bytes[index] ?? 0);
      }
      equal(merged.indexOf(0), -1, "a byte that stayed 0");
    },
  },
  {
    name: "getRandomValues() fills a view only within its bounds",
    run(random) {
      const bytes = new Uint8Array(48);
      random.getRandomValues(bytes.subarray(16, 32));
      equal(hexOf(bytes.subarray(0, 16)), "00".repeat(16), "before the view");
      equal(hexOf(bytes.subarray(32)), "00".repeat(16), "after the view");
      equal(hexOf(bytes.subarray(16, 32)) === "00".repeat(16), false, "the view is still empty");
    },
  },
  {
    name: "getRandomValues() accepts an empty view",
    run(random) {
      random.getRandomValues(new Uint8Array(0));
    },
  },
  {
    name: "getRandomValues() rejects arguments that are not bytes",
    run(random) {
      for (const value of [undefined, null, 16, "abc", {}])
        throws(() => random.getRandomValues(value as unknown as Uint8Array), `filling ${value}`);
    },
  },
];
