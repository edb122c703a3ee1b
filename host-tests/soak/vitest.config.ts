/** Configuration of `npm run test:soak` only, which has no time limit per test. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { name: "soak", include: ["host-tests/soak/**/*.test.ts"], testTimeout: 0 },
});
