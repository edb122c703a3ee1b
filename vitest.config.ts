/**
 * Six projects: `unit` needs nothing but Node, `device` drives the real simulator, `hub` real processes of the hub,
 * `browser` the web console in Chromium, `rv32` what QEMU runs, and `nightly` the sweeps that `npm test` has no time for.
 */
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

/** As long as anything may take on a machine that runs all the others at the same time. */
const expect = { poll: { timeout: 30_000 } };

/** `npm run test:nightly` runs these (host-tests/nightly.ts). */
const NIGHTLY = "host-tests/**/*.nightly.test.ts";
const exclude = [...configDefaults.exclude, NIGHTLY];

export default defineConfig({
  test: {
    // Tests wait for consoles, hubs and pages for half of their time: one more at a time keeps the processors busy.
    maxWorkers: availableParallelism() + 1,
    isolate: false, // no test keeps anything in a module: one environment for all spares a quarter of the time
    projects: [
      {
        test: {
          name: "unit",
          include: ["host-tests/unit/**/*.test.ts"],
          exclude,
          testTimeout: 120_000,
          expect,
        },
      },
      {
        test: {
          name: "device",
          include: ["host-tests/device/**/*.test.ts"],
          exclude,
          expect,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "hub",
          include: ["host-tests/hub/**/*.test.ts"],
          exclude,
          expect,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "browser",
          include: ["host-tests/browser/**/*.test.ts"],
          exclude,
          expect,
          testTimeout: 60_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "rv32",
          include: ["host-tests/rv32/**/*.test.ts"],
          exclude,
          expect,
          testTimeout: 180_000,
          hookTimeout: 600_000, // which may have all of the engine to compile, while other tests run
        },
      },
      { test: { name: "nightly", include: [NIGHTLY], expect, testTimeout: 600_000, hookTimeout: 180_000 } },
    ],
  },
});
