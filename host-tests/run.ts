/**
 * `npm test`: makes sure that what the tests need is there, checks types and form, and runs every test but those of the
 * nightly tier (host-tests/nightly.ts). It names what failed once more at its end, since that may be thousands of lines
 * further up, and counts in its last line. Exit status 0 when nothing failed.
 */
import { check, conclude, vitest } from "./outcome.js";
import { prepare } from "./prepare.js";

await prepare({ sanitized: false });
conclude([
  check("tsc", ["--noEmit"]),
  check("tsc", ["--noEmit", "--project", "web"]),
  check("tsc", ["--noEmit", "--project", "host-tests/browser"]),
  check("tsc", ["--noEmit", "--project", "host-tests/unit/web"]),
  check("biome", ["check", "."]),
  vitest(["--project", "!nightly"], { tier: "quick", variant: "release" }),
]);
