/** The unit tests that judge mutants of one part of the project (`npm run test:mutation -- FOLDER`). */
import { defineConfig } from "vitest/config";

const tests = (process.env["SVC_MUTATION_TESTS"] ?? "").split(",");

export default defineConfig({
  test: { include: tests, isolate: false, testTimeout: 120_000, watch: false },
});
