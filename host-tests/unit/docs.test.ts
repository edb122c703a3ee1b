import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ERROR_GROUPS, MEANINGS } from "../../docs/error-meanings.js";
import { FAULT_STATUS } from "../../protocol/fault.js";

const root = join(import.meta.dirname, "../..");

test("the reference in docs/ matches the tables in the code", () => {
  execFileSync(process.execPath, ["tools/launch.js", "docs/generate.ts", "--check"], { cwd: root });
});

test("docs/reference/errors.md has a row with status, meaning and action for every error code", () => {
  const codes = Object.keys(FAULT_STATUS);
  expect(Object.keys(MEANINGS)).toEqual(codes);
  expect(ERROR_GROUPS.flatMap(({ meanings }) => Object.keys(meanings))).toEqual(codes);
  const page = readFileSync(join(root, "docs/reference/errors.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| ([^|]+\.) \| ([^|]+\.) \|$/gm)];
  expect(rows.map(([, code, status]) => [code, Number(status)])).toEqual(Object.entries(FAULT_STATUS));
});
