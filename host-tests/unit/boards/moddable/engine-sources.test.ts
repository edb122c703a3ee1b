/** The engine of the SDK for a board: corrected beside the SDK, which stays as it is. */
import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { environmentFor, soundEngine } from "../../../../boards/moddable/engine-sources.js";
import { SdkProblem } from "../../../../boards/moddable/sdk.js";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "engine sources-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const xs = () => path.join(root, "sdk/xs");
const output = () => path.join(root, "out/xs");

/** How version 8.2.3 allocates the memory of a RegExp. */
const FAULTY =
  "#ifndef mxCompile\n\tif (the)\n\t\tdata = fxNewChunk(the, size);\n#endif\n\t{\n\t\tdata = c_malloc(size);\n\t}\n";
const CORRECT = FAULTY.replace("#endif", "\telse\n#endif");

function put(name: string, content = ""): void {
  const file = path.join(xs(), name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** An engine with this `xsre.c`. */
function makeEngine(text: string): void {
  put("sources/xsre.c", text);
  put("sources/xsAll.h", "int all;\n");
  put("includes/xs.h");
}

describe("The engine of the SDK for a board", () => {
  for (const [name, before, after] of [
    ["", "", ""],
    [" with what is around it", "int before;\n", "int after;\n"],
  ] as const)
    test(`is a folder of links with a corrected copy of one file${name}`, async () => {
      makeEngine(before + FAULTY + after);
      expect(await soundEngine(xs(), output())).toBe(output());
      expect(readFileSync(path.join(output(), "sources/xsre.c"), "utf8")).toBe(before + CORRECT + after);
      expect(readFileSync(path.join(xs(), "sources/xsre.c"), "utf8")).toBe(before + FAULTY + after);
      for (const link of ["includes", "sources/xsAll.h"])
        expect(realpathSync(path.join(output(), link))).toBe(path.join(xs(), link));
      expect(lstatSync(path.join(output(), "sources")).isSymbolicLink()).toBe(false);
    });

  test("is the SDK's own if that is correct", async () => {
    makeEngine(CORRECT);
    expect(await soundEngine(xs(), output())).toBe(xs());
    expect(readdirSync(root)).toEqual(["sdk"]);
  });

  test("follows the SDK: files that are gone, new ones, and a folder in another place", async () => {
    makeEngine(FAULTY);
    await soundEngine(xs(), output());
    rmSync(path.join(xs(), "includes"), { recursive: true });
    put("platforms/xsHost.h");
    await soundEngine(xs(), output());
    expect(readdirSync(output()).sort()).toEqual(["platforms", "sources"]);
    execFileSync("mv", [path.join(root, "sdk"), path.join(root, "moved")]);
    await soundEngine(path.join(root, "moved/xs"), output());
    expect(realpathSync(path.join(output(), "sources/xsAll.h"))).toMatch(/moved/);
  });

  test("is not written again without a change, so that make compiles nothing", async () => {
    makeEngine(FAULTY);
    const times = () =>
      ["sources/xsre.c", "sources/xsAll.h"].map((name) => statSync(path.join(output(), name)).mtimeMs);
    await soundEngine(xs(), output());
    const before = times();
    await soundEngine(xs(), output());
    expect(times()).toEqual(before);
  });

  for (const [name, text] of [
    ["with other text", "\tdata = c_malloc(size);\n"],
    ["with the fault twice", FAULTY + FAULTY],
    ["that is empty", ""],
  ] as const)
    test(`is refused ${name}, with the file`, async () => {
      makeEngine(text);
      await expect(soundEngine(xs(), output())).rejects.toThrow(SdkProblem);
      await expect(soundEngine(xs(), output())).rejects.toThrow(/^Unknown engine: ".*xsre.c" allocates/);
      expect(readdirSync(root)).toEqual(["sdk"]);
    });

  test("is refused if it is missing", async () => {
    await expect(soundEngine(xs(), output())).rejects.toThrow(/^The Moddable SDK is incomplete: ".*xsre.c"/);
  });

  for (const flags of [undefined, "", "k", "-k", "--no-print-directory", "OTHER=1"])
    test(`takes the place of the makefile's with MAKEFLAGS ${flags ?? "unset"}`, () => {
      const makefile = path.join(root, "makefile");
      writeFileSync(makefile, "XS_DIR = /sdk/xs\nall:\n\t@echo 'from $(XS_DIR)'\n");
      const environment = environmentFor("/a b/xs", flags);
      const said = execFileSync("make", ["-f", makefile], {
        encoding: "utf8",
        env: { ...process.env, ...environment },
      });
      expect(said).toContain("from /a b/xs\n");
    });
});
