/** The list of what `npm test` runs (host-tests/quick-suites.ts) names suites that exist, and leaves no feature out. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { filesOf, LONG_UNIT_SUITES, NOT_QUICK, QUICK_SUITES } from "../quick-suites.js";

const tests = path.join(import.meta.dirname, "..");

/** The folders with suites of a project, and its suites outside of folders. */
function featuresOf(project: string): string[] {
  return readdirSync(path.join(tests, project), { withFileTypes: true })
    .map((entry) => `${project}/${entry.name.replace(/\.test\.ts$/, "")}`)
    .filter((feature) => filesOf(feature).length > 0);
}

const quick = QUICK_SUITES.flatMap(filesOf);
const hasQuickSuite = (feature: string) => filesOf(feature).some((file) => quick.includes(file));

test("every listed suite exists, and is listed once", () => {
  expect([...QUICK_SUITES, ...LONG_UNIT_SUITES].filter((suite) => filesOf(suite).length === 0)).toEqual([]);
  expect(new Set(quick).size).toBe(quick.length);
});

test.each(["device", "hub"])(
  "every folder of host-tests/%s has a quick suite, or a reason to have none",
  (project) => {
    const without = featuresOf(project).filter((feature) => !hasQuickSuite(feature));
    const excused = Object.keys(NOT_QUICK).filter((feature) => feature.startsWith(`${project}/`));
    expect(without).toEqual(excused);
  },
);
