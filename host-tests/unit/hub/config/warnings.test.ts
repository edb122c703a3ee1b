/** Warnings about an environment that is probably a mistake. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { warningsOf } from "../../../../hub/config/read-config.js";

const manual = readFileSync(path.join(import.meta.dirname, "../../../../docs/hub.md"), "utf8");

test("there is no warning about documented variables, or other programs' variables", () => {
  const names = manual.match(/\bSVC_HUB_[A-Z0-9_]+/g) ?? [];
  expect(names.length).toBeGreaterThan(14);
  const known = Object.fromEntries(names.map((name) => [name, "1"]));
  expect(warningsOf({ ...known, SVC_HUB_URL: "u", SVC_HUB_TOKEN: "t", PATH: "/bin" })).toEqual([]);
});

test("an unknown variable causes a warning without its value", () => {
  const warnings = warningsOf({ SVC_HUB_POTR: "hunter2" });
  expect(warnings).toEqual([expect.stringContaining("SVC_HUB_POTR")]);
  expect(warnings.join()).not.toContain("hunter2");
});

test("a shared database without a bus causes a warning", () => {
  const url = { SVC_HUB_DATABASE_URL: "postgres://h/d" };
  expect(warningsOf(url)).toEqual([expect.stringContaining("SVC_HUB_NATS_URL")]);
  expect(warningsOf({ ...url, SVC_HUB_NATS_URL: "nats://h" })).toEqual([]);
});
