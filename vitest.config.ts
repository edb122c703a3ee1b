/**
 * Seven projects: `unit` needs nothing but Node, `device` drives the real simulator, `native-images` its apps as native images,
 * `hub` real processes of the hub, `browser` the web console in Chromium, `rv32` what QEMU runs, and `nightly` the sweeps that
 * `npm test` has no time for.
 */
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";

/** As long as anything may take on a machine that runs all the others at the same time. */
const expect = { poll: { timeout: 30_000 } };

/** `npm run test:nightly` runs these (host-tests/nightly.ts). */
const NIGHTLY = "host-tests/**/*.nightly.test.ts";
const exclude = [...configDefaults.exclude, NIGHTLY];

/** They run the tests of `device` once more, with another engine: which needs a process without their modules. */
const NATIVE_IMAGES = "host-tests/device/native-images/hostile-*.test.ts";

/**
 * For each project, which inherits nothing. No test keeps anything in a module: to share a process among files takes a third
 * off the time.
 */
const shared = { exclude, expect, isolate: false };

export default defineConfig({
  test: {
    // Tests wait for consoles, hubs and pages for half of their time: one more at a time keeps the processors busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          name: "unit",
          include: ["host-tests/unit/**/*.test.ts"],
          ...shared,
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: "device",
          include: ["host-tests/device/**/*.test.ts"],
          ...shared,
          exclude: [...exclude, NATIVE_IMAGES],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          ...shared,
          name: "native-images",
          include: [NATIVE_IMAGES],
          isolate: true,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "hub",
          include: ["host-tests/hub/**/*.test.ts"],
          ...shared,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "browser",
          include: ["host-tests/browser/**/*.test.ts"],
          ...shared,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: "rv32",
          include: ["host-tests/rv32/**/*.test.ts"],
          ...shared,
          testTimeout: 180_000,
          hookTimeout: 600_000, // which may have all of the engine to compile, while other tests run
        },
      },
      {
        test: {
          ...shared,
          name: "nightly",
          include: [NIGHTLY],
          exclude: configDefaults.exclude,
          testTimeout: 600_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
