/**
 * `npm run screenshots`: takes the pictures of docs/web-console.md anew, every panel in light and dark, from a simulated
 * console with the example apps and a hub. pictures.nightly.test.ts takes them; with the other nightly tests it leaves
 * them in build/screenshots.
 */
import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");
const { status } = spawnSync(
  path.join(root, "node_modules/.bin/vitest"),
  ["run", "--project", "nightly", "host-tests/browser/pictures.nightly.test.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SVC_PICTURES: path.join(root, "docs/images/web-console"),
      SVC_TEST_REQUIRE: "chromium",
    },
  },
);
process.exitCode = status ?? 1;
