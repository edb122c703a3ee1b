/**
 * `npm run test:soak [-- --minutes M] [--variant release|m32|asan]`: uses a console for everything at once, within its
 * limits, for ten minutes or as long as it is told. Exit status 0 when it never started again and its heap is where it was;
 * what is printed has the answers by status, and the 99th percentile of the status request.
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
