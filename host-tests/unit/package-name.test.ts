/**
 * Outside a clone, `npx svc` runs whatever package has that name in the registry: so ours has a scope, and what we print
 * or generate for use elsewhere does not say `npx svc`.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));

/** Texts for users without a clone: the programs, the pages, and the output of `svc app new`. */
const SHIPPED = ["cli", "web", "device", "device-client", "hub", "hub-client", "protocol", "sdk"];
/** Read in a clone. */
const READ_HERE = /^sdk\/README\.md$/;
const TEXT = /\.(?:ts|tsx|js|json|md|html|c|h)$/;

const files = SHIPPED.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((at) =>
    path.join(folder, at),
  ),
).filter((file) => TEXT.test(file) && !READ_HERE.test(file));

test("the package name has a scope, and the only command is `svc`", () => {
  expect(manifest.name).toMatch(/^@[a-z-]+\/[a-z-]+$/);
  expect(Object.keys(manifest.bin)).toEqual(["svc"]);
});

test("no text for use outside a clone runs npx with the name svc, which lacks the scope", () => {
  expect(files.length).toBeGreaterThan(100);
  const naming = files.filter((file) =>
    /\bnpx (?:-y |--yes )?svc\b/.test(readFileSync(path.join(root, file), "utf8")),
  );
  expect(naming).toEqual([]);
});
