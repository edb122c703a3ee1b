/** Without the Moddable SDK its tests are skipped with the reason, or fail where this machine must have it. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER } from "../../../../tools/launcher.js";

const run = path.join(import.meta.dirname, "../../../moddable/run.ts");

const REQUIRED = [
  { required: "", status: 0 },
  { required: "avahi,curl", status: 0 },
  { required: "avahi,moddable", status: 1 },
];
for (const { required, status } of REQUIRED)
  test(`npm run test:moddable with SVC_TEST_REQUIRE=${required} exits with ${status} without the SDK`, () => {
    const { MODDABLE: _, ...environment } = process.env;
    const env = { ...environment, SVC_TEST_REQUIRE: required };
    const ended = spawnSync(process.execPath, [LAUNCHER, run], { env, encoding: "utf8" });
    expect(ended.stdout).toMatch(/^test:moddable is skipped: MODDABLE is not set/);
    expect(ended.status).toBe(status);
  });
