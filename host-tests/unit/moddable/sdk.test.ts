/** Without the Moddable SDK its tests are skipped with the reason, or fail where this machine must have it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSdk, statusWithoutSdk } from "../../moddable/sdk.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "sdk-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content: string): string {
  const file = path.join(root, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

test("no SDK is one that nobody has named", () => expect(findSdk({})).toMatch(/MODDABLE is not set/));

test("no SDK is a directory without one", () => expect(findSdk({ MODDABLE: root })).toContain(root));

test("no SDK is one that is not built", () => {
  put("tools/VERSION", "8.2.3\n");
  expect(findSdk({ MODDABLE: root })).toMatch(/is not built/);
});

test("an SDK has a version and a simulator", () => {
  put("tools/VERSION", "8.2.3\n");
  const simulator = put("build/bin/lin/release/mcsim", "");
  expect(findSdk({ MODDABLE: root })).toEqual({ version: "8.2.3", simulator });
});

const REQUIRED = [
  { name: undefined, status: 0 },
  { name: "avahi,curl", status: 0 },
  { name: "avahi,moddable", status: 1 },
];
for (const { name, status } of REQUIRED)
  test(`with SVC_TEST_REQUIRE=${name ?? ""} it ends with ${status} where there is none`, () =>
    expect(statusWithoutSdk(name === undefined ? {} : { SVC_TEST_REQUIRE: name })).toBe(status));
