/**
 * `npm run test:all`: every test but those of the nightly tier, on both databases; and types, format and dead exports of the code.
 *
 * `--others`, for CI, runs what `npm test` has left out, and adds the outcome of that run to the counts in the last line: the
 * other suites, and the suites of a hub on the other database.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { checkCode, conclude, lastOutcome, outcomeOf, vitest } from "./outcome.js";
import { buildConsole, preparePackages } from "./prepare.js";
import { filesOf, QUICK_SUITES } from "./quick-suites.js";

const { values } = parseArgs({ options: { others: { type: "boolean", default: false } } });

const root = path.join(import.meta.dirname, "..");
const variant = "release";

/** Runs its tests for each hub of `HUBS` (host-tests/hub/hosts/hub-under-test.ts), itself or by describeSignIns. */
const OF_EACH_HUB = /\bof HUBS\b|\bdescribeSignIns\(/;

/** The quick suites that `npm test` ran on SQLite alone. */
function quickHubSuites(): string[] {
  return QUICK_SUITES.flatMap(filesOf).filter((file) =>
    OF_EACH_HUB.test(readFileSync(path.join(root, file), "utf8")),
  );
}

preparePackages({ isQuick: false });
const build = await outcomeOf("building the console", buildConsole());
conclude(
  values.others
    ? [
        lastOutcome(),
        build,
        await vitest(["--project", "!nightly"], { tier: "all", scope: "others", variant }),
        await vitest(quickHubSuites(), { tier: "sample", variant }),
      ]
    : [build, await vitest(["--project", "!nightly"], { tier: "all", variant }), ...(await checkCode())],
);
