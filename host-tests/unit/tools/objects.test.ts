/** Compiling and linking by content (tools/objects.ts), with gcc. */
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compileStale, linkStale } from "../../../tools/objects.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "objects-"));
  write("answer.h", "#define ANSWER 42\n");
  write("main.c", '#include "answer.h"\nint main(void) { return ANSWER; }\n');
});
afterEach(() => rmSync(directory, { recursive: true }));

const file = (name: string) => path.join(directory, name);
const write = (name: string, text: string) => writeFileSync(file(name), text);

/** @returns how many files were compiled */
async function compiled(flags: string[] = [], compiler = "gcc"): Promise<number> {
  let count = 0;
  const job = { source: file("main.c"), object: file("main.o"), flags };
  await compileStale(compiler, [job], (stale) => {
    count = stale;
  });
  return count;
}

/** @returns whether the program was linked */
async function linked(): Promise<boolean> {
  let isLinked = false;
  await linkStale(file("main"), { files: [file("main.o")], flags: [] }, (output) => {
    isLinked = true;
    return promisify(execFile)("gcc", [file("main.o"), "-o", output]);
  });
  return isLinked;
}

test("a file is compiled once, and linked once", async () => {
  expect([await compiled(), await linked()]).toEqual([1, true]);
  expect([await compiled(), await linked()]).toEqual([0, false]);
});

test("a file with a new time and the same content is not compiled again", async () => {
  await compiled();
  await linked();
  for (const name of ["main.c", "answer.h", "main.o"]) utimesSync(file(name), new Date(), new Date());
  expect([await compiled(), await linked()]).toEqual([0, false]);
});

test("a header with another content is compiled again", async () => {
  await compiled();
  await linked();
  write("answer.h", "#define ANSWER 43\n");
  expect([await compiled(), await linked()]).toEqual([1, true]);
});

test("other flags and another compiler compile again", async () => {
  await compiled();
  expect(await compiled(["-O1"])).toBe(1);
  expect(await compiled(["-O1"], "cc")).toBe(1);
});

test("a missing header compiles again, and a missing program is linked again", async () => {
  await compiled();
  await linked();
  rmSync(file("main"));
  expect(await linked()).toBe(true);
  rmSync(file("answer.h"));
  await expect(compiled()).rejects.toThrow("answer.h");
});

test("a header that is edited while it is compiled is compiled again", async () => {
  write("cc.sh", `#!/bin/sh\ngcc "$@"\nsleep 0.02\necho "#define ANSWER 44" > ${file("answer.h")}\n`);
  chmodSync(file("cc.sh"), 0o755);
  await compiled([], file("cc.sh"));
  expect(await compiled([], file("cc.sh"))).toBe(1);
});

test("a compilation that fails leaves nothing that counts as compiled", async () => {
  await compiled();
  write("main.c", "int main(void) { return ; missing }\n");
  await expect(compiled()).rejects.toThrow("missing");
  write("main.c", '#include "answer.h"\nint main(void) { return ANSWER; }\n');
  expect(await compiled()).toBe(1);
});
