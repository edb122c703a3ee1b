/**
 * `npm test`: each feature once (host-tests/quick-suites.ts), and types, format and dead exports of the code. Unit tests run while the
 * console is built. `npm run test:all` runs the other tests.
 *
 * At the end the names of failed tests, which may stand hundreds of lines further up, are printed again, and the counts in the
 * last line. Exit status 0 when nothing failed.
 */
import { checkCode, conclude, outcomeOf, vitest } from "./outcome.js";
import { buildConsole, preparePackages } from "./prepare.js";

const quick = { tier: "quick", scope: "quick", variant: "release" } as const;

preparePackages({ isQuick: true });
const building = outcomeOf("building the console", buildConsole());
const units = await vitest(["--project", "unit"], quick);
const build = await building;
conclude([
  build,
  units,
  await vitest(
    ["device", "hub", "browser", "native-images"].flatMap((name) => ["--project", name]),
    quick,
  ),
  ...(await checkCode()),
]);
