import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "vitest";

test("the reference in docs/ is what the tables in the code say", () => {
  execFileSync("node", ["docs/generate.js", "--check"], { cwd: join(import.meta.dirname, "../..") });
});
