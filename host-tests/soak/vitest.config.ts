/** Only what `npm run test:soak` runs: it takes as long as it is told to. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "soak", include: ["host-tests/soak/**/*.test.ts"], testTimeout: 0 },
});
