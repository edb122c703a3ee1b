/** Tests and links in docs/security.md exist. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const page = readFileSync(path.join(root, "docs/security.md"), "utf8");

const tests = [...page.matchAll(/`((?:unit|device|hub|browser)\/[\w./-]+)`/g)].map(([, file = ""]) => file);
const links = [...page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);

test("every test file that docs/security.md names exists", () => {
  expect(tests.length).toBeGreaterThan(30);
  expect(tests.filter((file) => !existsSync(path.join(root, "host-tests", file)))).toEqual([]);
});

test("every link of docs/security.md points to a file", () => {
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((target) => !existsSync(path.join(root, "docs", target)))).toEqual([]);
});
