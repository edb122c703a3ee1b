/** Two projects: `unit` needs nothing but Node, `device` drives the real simulator. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["host-tests/unit/**/*.test.ts"] } },
      {
        test: {
          name: "device",
          include: ["host-tests/device/**/*.test.ts"],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
});
