/**
 * Seven projects: `unit` needs nothing but Node, `device` drives the real simulator, `native-images` its apps as native images,
 * `hub` real processes of the hub, `browser` the web console in Chromium, `rv32` what QEMU runs, and `nightly` the long sweeps.
 *
 * `SVC_TEST_SCOPE` narrows them to the suites of `npm test` (`quick`, host-tests/quick-suites.ts), or to all others (`others`).
 */
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LONG_UNIT_SUITES, patternOf, quickPatterns } from "./host-tests/quick-suites.js";

/** As long as anything may take on a machine that runs all the others at the same time. */
const expect = { poll: { timeout: 30_000 } };

/** A hook may have all of an engine to compile, while other tests run. */
const HOOK_TIMEOUT_MS = 600_000;

/** `npm run test:nightly` runs these (host-tests/nightly.ts). */
const NIGHTLY = "host-tests/**/*.nightly.test.ts";
const exclude = [...configDefaults.exclude, NIGHTLY];

/** They run the tests of `device` once more, with another engine: which needs a process without their modules. */
const NATIVE_IMAGES = "host-tests/device/native-images/hostile-*.test.ts";

const scope = process.env["SVC_TEST_SCOPE"];

/** The files of a project in this scope. */
function filesOf(project: string): { readonly include: string[]; readonly exclude: string[] } {
  const all = [`host-tests/${project}/**/*.test.ts`];
  const long = LONG_UNIT_SUITES.map(patternOf);
  if (project === "unit" && scope === "quick") return { include: all, exclude: [...exclude, ...long] };
  if (project === "unit" && scope === "others") return { include: long, exclude };
  if (scope === "quick") return { include: quickPatterns(project), exclude };
  if (scope === "others") return { include: all, exclude: [...exclude, ...quickPatterns(project)] };
  return { include: all, exclude };
}

/**
 * For each project, which inherits nothing. No test keeps anything in a module: to share a process among files takes a third
 * off the time.
 */
const shared = { exclude, expect, isolate: false, hookTimeout: HOOK_TIMEOUT_MS };

export default defineConfig({
  test: {
    // Tests wait for consoles, hubs and pages for half of their time: one more at a time keeps the processors busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          ...filesOf("unit"),
          testTimeout: 120_000,
        },
      },
      {
        test: {
          ...shared,
          name: "device",
          include: filesOf("device").include,
          exclude: [...filesOf("device").exclude, NATIVE_IMAGES],
          testTimeout: 180_000,
        },
      },
      {
        test: {
          ...shared,
          name: "native-images",
          include: scope === "quick" ? [] : [NATIVE_IMAGES],
          isolate: true,
          testTimeout: 180_000,
        },
      },
      {
        test: {
          ...shared,
          name: "hub",
          ...filesOf("hub"),
          testTimeout: 180_000,
        },
      },
      {
        test: {
          ...shared,
          name: "browser",
          ...filesOf("browser"),
          testTimeout: 180_000,
        },
      },
      {
        test: {
          ...shared,
          name: "rv32",
          ...filesOf("rv32"),
          testTimeout: 180_000,
        },
      },
      {
        test: {
          ...shared,
          name: "nightly",
          include: [NIGHTLY],
          exclude: configDefaults.exclude,
          testTimeout: 600_000,
        },
      },
    ],
  },
});
