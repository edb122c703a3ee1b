/** `package-lock.json` names packages by version and hash, and no registry: each machine installs from its own. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

interface LockedPackage {
  readonly resolved?: string;
  readonly integrity?: string;
}

const file = path.join(import.meta.dirname, "../../package-lock.json");
const { packages } = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };
const locked = Object.entries(packages).filter(([name]) => name !== "");

test("package-lock.json has a hash for every package, and no address of a registry", () => {
  expect(locked.length).toBeGreaterThan(400);
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
