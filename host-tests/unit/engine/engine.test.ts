/** Patches of the engine: applied to the files that they are made for, and to no others. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { changesOf, patched } from "../../../engine/engine.js";

const root = path.join(import.meta.dirname, "../../..");
const folder = path.join(root, "engine/patches");
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".patch"))
  .sort();

const HASHES = {
  before: "ce013625030ba8dba906f756967f9e9ca394464a", // hello
  after: "cc628ccd10742baea8241c5924df992b5c019f71", // world
};

/** What `git diff --full-index` writes. */
const patch = ({ before, after } = HASHES) =>
  [
    "Subject",
    "",
    "diff --git a/xs/greeting.c b/xs/greeting.c",
    `index ${before}..${after} 100644`,
    "--- a/xs/greeting.c",
    "+++ b/xs/greeting.c",
    "@@ -1 +1 @@",
    "-hello",
    "+world",
    "",
  ].join("\n");
const [change] = changesOf(patch());
if (!change) throw new Error("The patch has a change");

describe("A patch of the engine", () => {
  test("changes the file that it names", () => {
    expect(change.file).toBe("xs/greeting.c");
    expect(patched("hello\n", change)).toBe("world\n");
  });

  test("refuses a file of another version", () => {
    for (const source of ["hello\nmore\n", "hello", "world\n", ""])
      expect(() => patched(source, change)).toThrow(
        "Cannot patch xs/greeting.c: the patch is made for another version of the engine",
      );
  });

  test("that does not make the file that it names is damaged", () => {
    const [damaged] = changesOf(patch({ ...HASHES, after: "0".repeat(40) }));
    if (!damaged) throw new Error("The patch has a change");
    expect(() => patched("hello\n", damaged)).toThrow("Cannot patch xs/greeting.c: the patch is damaged");
  });

  test("must name both files by their whole hashes", () => {
    const short = patch({ before: "ce01362", after: "cc628cc" });
    expect(() => changesOf(short)).toThrow("without a full index line");
  });
});

describe("On the installed engine, in the order of their names,", () => {
  const files = new Map<string, string>();

  test.each(names)("%s applies", (name) => {
    const changes = changesOf(readFileSync(path.join(folder, name), "utf8"));
    expect(changes).not.toEqual([]);
    for (const each of changes) {
      const installed = path.join(root, "node_modules/xs/moddable", each.file);
      files.set(each.file, patched(files.get(each.file) ?? readFileSync(installed, "utf8"), each));
    }
  });
});
