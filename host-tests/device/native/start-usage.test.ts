/** Flags of `npm start` that are wrong, and its help (docs/spec/simulated-console.md). */
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { quiet, root, start, state } from "./npm-start.js";

test("--trusted-keys with a missing file or one without keys ends with status 2", async () => {
  writeFileSync(path.join(state, "empty.pem"), "nothing here\n");
  for (const name of ["empty.pem", "missing.pem"]) {
    const started = quiet("--trusted-keys", path.join(state, name));
    expect(await started.exited).toBe(2);
    expect(started.output.stderr).toContain(name);
  }
});

test("an unknown flag ends with status 2 and the usage, and creates no state", async () => {
  const elsewhere = path.join(state, "elsewhere");
  const started = start("--state", elsewhere, "--no-such-flag");
  expect(await started.exited).toBe(2);
  expect(started.output.stderr).toContain("usage: npm start");
  expect(started.output.stdout).toBe("");
  expect(existsSync(elsewhere)).toBe(false);
});

test("--help prints the flags on standard output, and creates no state", async () => {
  const elsewhere = path.join(state, "elsewhere");
  const started = start("--state", elsewhere, "--help");
  expect(await started.exited).toBe(0);
  expect(started.output.stdout).toContain("--config NAME=VALUE");
  expect(existsSync(elsewhere)).toBe(false);
});

test("an unknown build option ends with status 2 and its name", async () => {
  const started = quiet("--config", "CONFIG_SVC_NO_SUCH_THING=1");
  expect(await started.exited).toBe(2);
  expect(started.output.stderr).toContain("CONFIG_SVC_NO_SUCH_THING");
});

test("an abbreviated flag, or one internal to the launcher, is rejected with status 2", async () => {
  for (const flag of ["--stat", "--image=x", "--check", "--die-with-parent", "--window-program"]) {
    const started = quiet(flag, state);
    expect([flag, await started.exited]).toEqual([flag, 2]);
    expect(started.output.stderr).toContain("unrecognized option");
  }
});

test("an invalid value of a flag is rejected with status 2 and named", async () => {
  const flags = [
    ["--sd", path.join(state, "missing")],
    ["--usb-drive", path.join(root, "package.json")],
    ["--hub", "nowhere"],
    ["--mac", "01:00:5e:00:00:01"],
  ];
  for (const [flag, value] of flags) {
    const started = quiet(flag as string, value as string);
    expect([flag, await started.exited]).toEqual([flag, 2]);
    expect(started.output.stderr).toContain(`"${value}"`);
  }
});
