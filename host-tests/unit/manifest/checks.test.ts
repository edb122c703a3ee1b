/** The checks of the manifest, on small manifests and files that are wrong in one way each: every check can fail. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fieldsOfNatives, foreignNames, hasNewSyntax, importsOf } from "./code-checks.js";
import { creationFigures, deadFiles, forgottenFiles } from "./manifest-checks.js";
import { type ManifestTree, readManifestTree } from "./manifest-tree.js";
import { moduleGraph } from "./module-graph.js";
import { undeclaredCalls, undefinedNatives, unreachableHeaders } from "./native-checks.js";

let parent: string;
beforeAll(() => {
  parent = mkdtempSync(path.join(tmpdir(), "manifest-"));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

type Files = Readonly<Record<string, string | object>>;

/** A new directory with these files, objects as JSON. */
function project(files: Files): { readonly directory: string; readonly at: (name: string) => string } {
  const directory = mkdtempSync(path.join(parent, "project-"));
  const at = (name: string) => path.join(directory, name);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return { directory, at };
}

function treeOf(files: Files, platform = "lin") {
  const { at, directory } = project(files);
  return { tree: readManifestTree(at("manifest.json"), platform), at, directory };
}

const relative = (tree: ManifestTree, directory: string) =>
  Object.fromEntries([...tree.modules].map(([name, file]) => [name, path.relative(directory, file)]));

describe("a manifest", () => {
  test("names modules by wildcard, name and file, without those under ~", () => {
    const { tree, directory } = treeOf({
      "manifest.json": {
        modules: { "~": "./a/two", "*": "./b/*", "device/*": "./a/*", one: "./c.js" },
      },
      "a/one.ts": "",
      "a/two.ts": "",
      "a/types.d.ts": "",
      "b/three.js": "",
      "b/code.c": "",
      "c.js": "",
    });
    expect(relative(tree, directory)).toEqual({ "device/one": "a/one.ts", three: "b/three.js", one: "c.js" });
    expect([...tree.sources].map((file) => path.basename(file))).toEqual(["code.c"]);
    expect(tree.problems).toEqual([]);
  });

  test("includes other manifests, each for its platform, with variables", () => {
    const { tree, directory } = treeOf(
      {
        "manifest.json": {
          include: "./more/manifest.json",
          platforms: { lin: { modules: { x: "./lin" } }, "esp32/*": { modules: { x: "./board" } } },
        },
        "more/manifest.json": { build: { HERE: "./" }, modules: { y: "$(HERE)/y" } },
        "lin.js": "",
        "board.js": "",
        "more/y.js": "",
      },
      "esp32/esp32s3",
    );
    expect(relative(tree, directory)).toEqual({ x: "board.js", y: "more/y.js" });
  });

  const WRONG: readonly { readonly name: string; readonly manifest: object; readonly problem: RegExp }[] = [
    { name: "names a missing file", manifest: { modules: { x: "./gone" } }, problem: /\.\/gone/ },
    { name: "names a missing folder", manifest: { modules: { "*": "./gone/*" } }, problem: /gone/ },
    { name: "excludes a missing file", manifest: { modules: { "~": "./gone" } }, problem: /gone/ },
    { name: "includes a missing manifest", manifest: { include: "./gone.json" }, problem: /gone\.json/ },
    { name: "has two files for a module", manifest: { modules: { x: ["./a", "./b"] } }, problem: /"x"/ },
    {
      name: "compiles two files of one name",
      manifest: { modules: { "*": ["./c/same", "./d/same"] } },
      problem: /same\.c/,
    },
  ];
  for (const { name, manifest, problem } of WRONG)
    test(`is invalid if it ${name}`, () => {
      const files = { "a.js": "", "b.js": "", "c/same.c": "", "d/same.c": "" };
      expect(treeOf({ "manifest.json": manifest, ...files }).tree.problems).toEqual([
        expect.stringMatching(problem),
      ]);
    });
});

describe("the modules of a console", () => {
  const MODULES = {
    "main.js": 'import run from "device/run";',
    "run.ts": [
      'import { a } from "./parts/a.js";',
      'import timer from "timer";',
      'import type { T } from "./t.js";',
      "export default (t: T) => a(timer, t);",
    ].join("\n"),
    "parts/a.ts": 'import "../b.js"; export const a = console.log;',
    "b.ts": "export {};",
    "t.ts": "export type T = 1;",
    "dead.ts": "export const dead = 1;",
  };
  const modules = { main: "./main", "device/run": "./run", "device/b": "./b", "device/parts/*": "./parts/*" };
  const include = "$(MODDABLE)/examples/manifest_base.json";

  test("are found from the first one on, under the names in the manifest", async () => {
    const { tree } = treeOf({ "manifest.json": { include, modules }, ...MODULES });
    const { reached, problems } = await moduleGraph(tree, ["main"]);
    expect([...reached].sort()).toEqual(["device/b", "device/parts/a", "device/run", "main"]);
    expect(problems).toEqual([]);
  });

  test("are missing if nothing has the name that is imported", async () => {
    const { "device/b": file, ...others } = modules;
    const { tree } = treeOf({ "manifest.json": { include, modules: { ...others, b: file } }, ...MODULES });
    expect((await moduleGraph(tree, ["main"])).problems).toEqual([
      'No manifest provides "device/b", which device/parts/a imports',
    ]);
  });

  test("are broken if one imports what another does not export", async () => {
    const broken = { ...MODULES, "run.ts": "export const other = 1;" };
    const { tree } = treeOf({ "manifest.json": { include, modules }, ...broken });
    expect((await moduleGraph(tree, ["main"])).problems).toEqual([
      expect.stringMatching(/export.*"default"/),
    ]);
  });

  test("are the SDK's only if its manifest is included", async () => {
    const { tree } = treeOf({ "manifest.json": { modules }, ...MODULES });
    expect((await moduleGraph(tree, ["main"])).problems).toEqual([
      'No manifest provides "timer", which device/run imports',
    ]);
  });

  test("are forgotten if the manifest does not name them, and dead if nothing imports them", () => {
    const named = { "~": "./b", "device/*": ["./run", "./t", "./dead"] };
    const { tree, at } = treeOf({ "manifest.json": { modules: named }, ...MODULES });
    const files = ["run.ts", "parts/a.ts", "b.ts", "t.ts", "dead.ts"].map(at);
    expect(forgottenFiles(tree, files)).toEqual([at("parts/a.ts")]);
    expect(deadFiles(tree, [at("run.ts"), at("parts/a.ts")], files)).toEqual([at("dead.ts")]);
  });
});

describe("the C of a console", () => {
  const manifest = { modules: { "*": "./native/*", thing: "./thing" } };
  const thing =
    'export default class extends Native("xs_thing_destructor") { a() { native("xs_thing_a").call(this); } }';

  test("defines the functions that modules name", () => {
    const code = "void xs_thing_destructor(void *data)\n{\n}\nstatic void xs_thing_a(xsMachine *the)\n{\n}\n";
    const { tree } = treeOf({ "manifest.json": manifest, "thing.js": thing, "native/thing.c": code });
    expect(undefinedNatives(tree)).toEqual(["xs_thing_a"]);
  });

  test("finds headers beside it, and in folders that a header or a slash names", () => {
    const code = ["beside", "listed", "slashed", "compiled", "xsmc"]
      .map((name) => `#include "${name}.h"\n`)
      .join("");
    const { tree, directory } = treeOf({
      "manifest.json": { modules: { "*": ["./native/a", "./listed/*", "./compiled/b", "./slashed/"] } },
      "native/a.c": code,
      "native/beside.h": "",
      "listed/listed.h": '#include "lost.h"\n',
      "slashed/slashed.h": "",
      "compiled/b.c": "",
      "compiled/compiled.h": "",
      "elsewhere/lost.h": "",
    });
    expect(unreachableHeaders(tree, directory)).toEqual([
      "native/a.c: compiled.h",
      "listed/listed.h: lost.h",
    ]);
  });

  test("includes what declares the functions of the C library, itself or by a header of ours", () => {
    const code =
      '#include "own.h"\n/* free(x) */\nint a(Host *h) { memcpy(0, h, 1); h->free(h); return puts("malloc(1)"); }\n';
    const { tree, directory } = treeOf({
      "manifest.json": { modules: { "*": "./native/*" } },
      "native/a.c": code,
      "native/own.h": "#include <string.h>\n",
    });
    expect(undeclaredCalls(tree, directory)).toEqual(["native/a.c: puts"]);
  });
});

test("figures in C are read as products, and anything else as no number", () => {
  const figures = creationFigures(
    "BOARD_ARENA_KIB = 128 };\n.initialChunkSize = 40 << 10,\n.stackCount = 768,",
  );
  expect([figures.get("static"), figures.get("chunk.initial"), figures.get("stack")]).toEqual([
    131072,
    Number.NaN,
    768,
  ]);
});

describe("code", () => {
  const fileOf = (text: string, name = "code.ts") => project({ [name]: text }).at(name);

  const FOREIGN = [
    { text: 'import fs from "node:fs"; fs();', names: ["node:fs"] },
    { text: 'import type { A } from "path";\nexport type B = A;', names: ["path"] },
    { text: 'const fs = await import("fs"); fs();', names: ["fs"] },
    { text: "export const bytes = Buffer.alloc(1);", names: ["Buffer"] },
    { text: 'export const fs = require("fs");', names: ["require"] },
    {
      text: "export const up = () => process.uptime() + performance.now();",
      names: ["performance", "process"],
    },
    { text: "setTimeout(() => console.log(1));", names: ["console", "setTimeout"] },
    {
      text: "export const a = (process: { exit: 1 }, b: { Buffer: 1 }) => process.exit + b.Buffer;",
      names: [],
    },
    { text: '// Buffer\nexport const text = "process"; export class URL {}', names: [] },
    { text: 'export type Over = "http" | "usb"; export const module = "module";', names: [] },
  ];
  for (const { text, names } of FOREIGN)
    test(`${names.length ? `uses ${names.join(" and ")}` : "uses nothing of Node's"}: ${text}`, async () =>
      expect([...(await foreignNames(fileOf(text)))].sort()).toEqual(names));

  const NEW = [
    "export const pattern = /[a&&b]/v;",
    "@sealed class A {}",
    "export class A { accessor x = 1; }",
    'import data from "./x.json" with { type: "json" }; data();',
  ];
  for (const text of NEW)
    test(`is too new: ${text}`, async () => expect(await hasNewSyntax(fileOf(text))).toBe(true));

  const OLD = [
    "export class A { #x = 1; static { new A(); } has(a: object) { return #x in a; } }",
    "export const a = (b: { c?: number }) => { b.c ??= 1_000; return b?.c satisfies number; };",
    "export function a(file: Disposable) { using open = file; return open; }",
    "export const a = await Promise.resolve(/(?<x>a)/d);",
  ];
  for (const text of OLD)
    test(`is not too new: ${text}`, async () => expect(await hasNewSyntax(fileOf(text))).toBe(false));

  test("has too new syntax in JavaScript, which no build step lowers: using", async () =>
    expect(
      await hasNewSyntax(fileOf("export function a(file) { using open = file; return open; }", "code.js")),
    ).toBe(true));

  test("has fields and private methods in a class over C, but may have them in other classes", () => {
    const native =
      'class A extends Native("xs_a") {\n  #secret;\n  open = 1;\n  #a() {\n  }\n  get x() {\n    return 1;\n  }\n}\n';
    const other = "export default class B {\n  #fine;\n}\n";
    expect(fieldsOfNatives(fileOf(native + other))).toEqual(["A.#secret", "A.open", "A.#a"]);
  });

  test("has imports of every form", () =>
    expect(
      importsOf(
        fileOf(
          'import "./a.js";\nimport type {\n  B,\n} from "./b.js";\nexport * from "./c.js";\ntype D = import("./d.js").D;\nexport type E = "./e.js";',
        ),
      ),
    ).toEqual(["./b.js", "./c.js", "./a.js", "./d.js"]));
});
