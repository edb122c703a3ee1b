/**
 * `npm run test:soak [-- --minutes M] [--variant release|m32|asan]`: runs a console under mixed load within its
 * limits, for ten minutes by default. Exit status 0 if it never restarted and its heap returned to its earlier size.
 * Prints the number of answers by status, and the 99th percentile of the status request's latency.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "../..");

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    variant: { type: "string", default: "release" },
  },
});
if (!/^\d+(\.\d+)?$/.test(values.minutes)) {
  console.error(`test:soak: --minutes is a number, and "${values.minutes}" is none`);
  process.exit(2);
}
if (!["release", "m32", "asan"].includes(values.variant)) {
  console.error(`test:soak: there is no variant "${values.variant}", there are release, m32 and asan`);
  process.exit(2);
}
const { status } = spawnSync(
  join(root, "node_modules/.bin/vitest"),
  ["run", "--config", join(root, "host-tests/soak/vitest.config.ts"), "--disable-console-intercept"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, SVC_SOAK_MINUTES: values.minutes, SVC_SOAK_VARIANT: values.variant },
  },
);
process.exitCode = status === 0 ? 0 : 1;
