import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { buildProgram, temporaryDirectory } from "../../hosts/simulator-program.js";

const directory = temporaryDirectory();
afterAll(() => directory.remove());

test("Links and pipes in the state directory do not lead the console outside", async () => {
  const outside = path.join(directory.path, "outside");
  const state = path.join(directory.path, "state");
  const lfs = path.join(state, "lfs");
  mkdirSync(outside);
  mkdirSync(lfs, { recursive: true });
  writeFileSync(path.join(outside, "inside"), "secret");
  writeFileSync(path.join(lfs, "own"), "own");
  symlinkSync(path.join(outside, "inside"), path.join(lfs, "link-to-file"));
  symlinkSync(outside, path.join(lfs, "link-to-directory"));
  symlinkSync(path.join(outside, "new"), path.join(lfs, "link-to-nothing"));
  symlinkSync("own", path.join(lfs, "link-inside"));
  execFileSync("mkfifo", [path.join(lfs, "pipe")]);

  const entry = path.join(import.meta.dirname, "outside-program.ts");
  const program = await buildProgram(entry, directory.path);
  const { lines } = await program.run({ state });

  expect(lines.map((line) => JSON.parse(line))).toEqual([["own"]]);
  expect(readdirSync(outside)).toEqual(["inside"]);
  expect(readFileSync(path.join(outside, "inside"), "utf8")).toBe("secret");
  expect(readFileSync(path.join(lfs, "own"), "utf8")).toBe("own");
});
