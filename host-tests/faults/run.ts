/**
 * `npm run test:faults [-- --minutes M] [--seed S] [--path P]`: cuts the power during firmware updates at random, for
 * five minutes by default. Exit status 0 if no check failed; otherwise prints the seed, and the path of the shortest
 * failing life.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "../..");

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: `${randomInt(2 ** 31)}` },
    path: { type: "string", default: "" },
  },
});
for (const [name, pattern] of [
  ["minutes", /^\d+(\.\d+)?$/],
  ["seed", /^-?\d+$/],
] as const)
  if (!pattern.test(values[name])) {
    console.error(`test:faults: --${name} is a number, and "${values[name]}" is none`);
    process.exit(2);
  }
console.log(`${values.minutes} minutes, seed ${values.seed}`);

const { status } = spawnSync(
  join(root, "node_modules/.bin/vitest"),
  ["run", "--config", join(root, "host-tests/faults/vitest.config.ts"), "--disable-console-intercept"],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SVC_FAULTS_MINUTES: values.minutes,
      SVC_FAULTS_SEED: values.seed,
      SVC_FAULTS_PATH: values.path,
    },
  },
);
process.exitCode = status === 0 ? 0 : 1;
