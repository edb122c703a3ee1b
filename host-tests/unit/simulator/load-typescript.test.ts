/** What `loadTypeScript` keeps of what it has compiled, and when it compiles again. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadTypeScript } from "../../../tools/load-typescript.js";

const root = path.join(import.meta.dirname, "../../..");
const kept = path.join(root, "build/typescript");

let sources: string;
beforeEach(() => {
  mkdirSync(path.join(root, "build"), { recursive: true });
  sources = mkdtempSync(path.join(root, "build/load-typescript-"));
});
afterEach(() => {
  rmSync(sources, { recursive: true, force: true });
  for (const file of noteFiles()) rmSync(file);
});

/** Sources that were there before anything is compiled. */
function write(name: string, text: string): void {
  const file = path.join(sources, name);
  writeFileSync(file, text);
  utimesSync(file, 1, 1);
}

const load = (name: string): Promise<Record<string, unknown>> =>
  loadTypeScript([path.join(path.relative(root, sources), name)]);

/** Notes of what was compiled from this test's sources. */
function noteFiles(): string[] {
  const files = readdirSync(kept).map((name) => path.join(kept, name));
  const name = path.basename(sources);
  return files.filter((file) => file.endsWith(".json") && readFileSync(file, "utf8").includes(name));
}

const notes = () => noteFiles().map((file) => readFileSync(file, "utf8"));

test("loads what modules export, and what they import", async () => {
  write("inner.ts", "export const inner: number = 6;");
  write("outer.ts", 'import { inner } from "./inner.js"; export const outer: number = inner * 7;');
  expect((await load("outer.ts"))["outer"]).toBe(42);
});

test("compiles once what does not change", async () => {
  write("outer.ts", "export const outer = 1;");
  const first = await load("outer.ts");
  const before = notes();
  expect(await load("outer.ts")).toBe(first);
  expect([before.length, notes()]).toEqual([1, before]);
});

test("compiles again once a source has changed, however deep", async () => {
  write("inner.ts", "export const inner = 1;");
  write("outer.ts", 'export { inner } from "./inner.js";');
  expect((await load("outer.ts"))["inner"]).toBe(1);
  write("inner.ts", "export const inner = 2;"); // of the same length and time
  expect((await load("outer.ts"))["inner"]).toBe(2);
});

test("says what is wrong with a source, and compiles it once it is right", async () => {
  write("outer.ts", "export const outer = ;");
  await expect(load("outer.ts")).rejects.toThrow("outer.ts");
  write("outer.ts", "export const outer = 3;");
  expect((await load("outer.ts"))["outer"]).toBe(3);
});

test("compiles again where what was kept is gone or damaged", async () => {
  write("outer.ts", "export const outer = 4;");
  await load("outer.ts");
  for (const file of noteFiles()) writeFileSync(file, `{${path.basename(sources)}`);
  expect((await load("outer.ts"))["outer"]).toBe(4);
  expect(notes()).toHaveLength(1);
});

test("what was edited while it was compiled is not kept", async () => {
  write("outer.ts", "export const outer = 5;");
  const future = Date.now() / 1000 + 60;
  utimesSync(path.join(sources, "outer.ts"), future, future);
  expect((await load("outer.ts"))["outer"]).toBe(5);
  expect(notes()).toHaveLength(0);
});
