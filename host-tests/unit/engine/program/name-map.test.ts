/** The file of names beside an image, and stacks that are translated with it. */
import { describe, expect, test } from "vitest";
import { longNames, nameMapFile, readNameMap, writeNameMap } from "../../../../engine/program/name-map.js";

describe("A name map", () => {
  test("is written beside the image, and read again", () => {
    expect(nameMapFile("build/device.img")).toBe("build/device.img.names.json");
    const names = { members: { _0: "#phase", _a1: "#x@1" }, functions: { t: "parse|read" } };
    expect(readNameMap(writeNameMap(names))).toEqual(names);
  });

  test.each([
    "",
    "[]",
    "null",
    "1",
    "{",
    '{"members":{}}',
    '{"members":{"_0":1},"functions":{}}',
    '{"members":{},"functions":[]}',
  ])("is not what %s holds", (text) => {
    expect(readNameMap(text)).toBeUndefined();
  });

  test("gives a stack the names of the sources, and leaves the others", () => {
    const stack = "TypeError: no _0 in t\n at _1 ()\n at t ()\n at _2 ()\n at a_1 ()\n at toString ()";
    expect(
      longNames(stack, {
        members: { _0: "#phase", _1: "#begin" },
        functions: { t: "parse|read", _1: "open" },
      }),
    ).toBe(
      "TypeError: no #phase in t\n at #begin|open ()\n at parse|read ()\n at _2 ()\n at a_1 ()\n at toString ()",
    );
  });
});
