/** What every Random does, as far as a test that never fails by chance can tell. */
import type { Random } from "../../protocol/ports/runtime.js";
import { type ContractCase, equal, hexOf, throws } from "./assert.js";

export const RANDOM_CONTRACT: readonly ContractCase<Random>[] = [
  {
    name: "bytes differ from call to call",
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
    name: "every byte of a long buffer is filled, to its last",
    run(random) {
      // 32 rounds leave a byte 0 by chance once in 2 to the 256.
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
    name: "a view is filled as far as it shows, and nothing around it",
    run(random) {
      const bytes = new Uint8Array(48);
      random.getRandomValues(bytes.subarray(16, 32));
      equal(hexOf(bytes.subarray(0, 16)), "00".repeat(16), "before the view");
      equal(hexOf(bytes.subarray(32)), "00".repeat(16), "after the view");
      equal(hexOf(bytes.subarray(16, 32)) === "00".repeat(16), false, "the view is still empty");
    },
  },
  {
    name: "an empty view is filled",
    run(random) {
      random.getRandomValues(new Uint8Array(0));
    },
  },
  {
    name: "what is not bytes is refused",
    run(random) {
      for (const value of [undefined, null, 16, "abc", {}])
        throws(() => random.getRandomValues(value as unknown as Uint8Array), `filling ${value}`);
    },
  },
];
