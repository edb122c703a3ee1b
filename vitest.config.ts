/** Two projects: `unit` needs nothing but Node, `device` drives the real simulator. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["host-tests/unit/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "device",
          include: ["host-tests/device/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
