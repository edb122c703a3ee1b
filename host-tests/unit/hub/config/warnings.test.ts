/** What is said of an environment that a hub starts with, and that is hardly what was meant. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { warningsOf } from "../../../../hub/config/read-config.js";

const manual = readFileSync(path.join(import.meta.dirname, "../../../../docs/hub.md"), "utf8");

test("of no variable of the manual, and of no other program's", () => {
  const names = manual.match(/\bSVC_HUB_[A-Z0-9_]+/g) ?? [];
  expect(names.length).toBeGreaterThan(14);
  const known = Object.fromEntries(names.map((name) => [name, "1"]));
  expect(warningsOf({ ...known, SVC_HUB_URL: "u", SVC_HUB_TOKEN: "t", PATH: "/bin" })).toEqual([]);
});

test("of a variable that the hub does not know, without its value", () => {
  const warnings = warningsOf({ SVC_HUB_POTR: "hunter2" });
  expect(warnings).toEqual([expect.stringContaining("SVC_HUB_POTR")]);
  expect(warnings.join()).not.toContain("hunter2");
});

test("of a database that several processes can share, without what they talk over", () => {
  const url = { SVC_HUB_DATABASE_URL: "postgres://h/d" };
  expect(warningsOf(url)).toEqual([expect.stringContaining("SVC_HUB_NATS_URL")]);
  expect(warningsOf({ ...url, SVC_HUB_NATS_URL: "nats://h" })).toEqual([]);
});
