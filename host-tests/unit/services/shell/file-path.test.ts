/** Paths in the shell (docs/spec/shell.md#files). */
import { expect, test } from "vitest";
import { locate, resolvePath } from "../../../../device/services/shell/file-commands.js";

for (const [path, resolved] of [
  ["/lfs", ""],
  ["/lfs/a/b", "a/b"],
  ["a//b/./c/../d", "a/b/d"],
  ["//lfs///a", "a"],
] as const)
  test(`${path} is ${JSON.stringify(resolved)} in the console's own files`, () =>
    expect(resolvePath(path)).toBe(resolved));

test("a path on a drive names the drive", () =>
  expect(locate("/sd/a/b")).toEqual({ root: "sd", rest: "a/b" }));

for (const piece of ["/", "/a", "a/../", "./", "/.."])
  test(`a long repetition of ${piece} is rejected before it is split`, () => {
    const path = `/lfs${piece.repeat(Math.floor(1000 / piece.length))}`;
    for (const read of [resolvePath, locate])
      expect(() => read(path)).toThrow(expect.objectContaining({ code: "bad_parameter" }));
  });
