/** Configuration of `npm run test:faults` only, which has no time limit per test. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "faults", include: ["host-tests/faults/**/*.test.ts"], testTimeout: 0 },
});
