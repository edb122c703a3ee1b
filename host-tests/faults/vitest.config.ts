/** Only what `npm run test:faults` runs: it takes as long as it is told to. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "faults", include: ["host-tests/faults/**/*.test.ts"], testTimeout: 0 },
});
