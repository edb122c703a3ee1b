/**
 * `npm test`: builds what the tests need, checks types and formatting, and runs every test but those of the nightly tier
 * (host-tests/nightly.ts). At the end it repeats the names of failed tests, which may stand thousands of lines further up,
 * and prints the counts in the last line. Exit status 0 when nothing failed.
 */
import { check, conclude, vitest } from "./outcome.js";
import { prepare } from "./prepare.js";

await prepare({ isNightly: false });
conclude([
  check("tsc", ["--noEmit"]),
  check("tsc", ["--noEmit", "--project", "web"]),
  check("tsc", ["--noEmit", "--project", "host-tests/browser"]),
  check("tsc", ["--noEmit", "--project", "host-tests/unit/web"]),
  check("biome", ["check", "."]),
  vitest(["--project", "!nightly"], { tier: "quick", variant: "release" }),
]);
