/** The Moddable project without the SDK: the manifest names all sources, and the sources need nothing else. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { OPTIONS } from "../../../device/services/config/options.js";
import { PAGE_DECODER } from "../../../engine/program/firmware-modules.js";
import { buildSandboxSources } from "../../../tools/sandbox.js";
import { codeBelow, creationFigures, deadFiles, forgottenFiles } from "./manifest-checks.js";
import { readManifestTree } from "./manifest-tree.js";
import { moduleGraph } from "./module-graph.js";
import { undeclaredCalls, undefinedNatives, unreachableHeaders } from "./native-checks.js";

const root = path.join(import.meta.dirname, "../../..");
const below = (...directories: string[]) => directories.map((directory) => path.join(root, directory));

/** What every platform has in common. Ports are types alone, of which nothing is left. */
const PORTS = path.join(root, "protocol/ports/");
const SHARED = codeBelow(below("device/services", "device/wasm", "protocol")).filter(
  (file) => !file.startsWith(PORTS),
);
const PLATFORMS = ["lin", "esp32/esp32s3"];
/** Of a 64-bit process: slots and pointers are twice as large as on a board. */
const SCALED: readonly string[] = ["static", "chunk.initial"];

const scaleOf = (platform: string, name: string) => (platform === "lin" && SCALED.includes(name) ? 2 : 1);

// The manifest names the folder of this generated C.
await buildSandboxSources();

const trees = PLATFORMS.map((platform) => ({
  platform,
  tree: readManifestTree(path.join(root, "device/manifest.json"), platform),
}));

/** Modules that the SDK loads itself: the program, and the ones called before it. */
const rootsOf = (modules: ReadonlyMap<string, string>) => [
  "main",
  ...[...modules.keys()].filter((specifier) => specifier.startsWith("setup/")),
];

for (const { platform, tree } of trees)
  describe(`for ${platform}`, () => {
    const loaded = moduleGraph(tree, rootsOf(tree.modules));
    const filesOf = async () => [...(await loaded).reached].map((name) => tree.modules.get(name) as string);

    test("every named module, C file and manifest exists, and is named once", () =>
      expect(tree.problems).toEqual([]));

    test("every import of the program is provided", async () => expect((await loaded).problems).toEqual([]));

    test("the program is the console's", async () =>
      expect(await filesOf()).toContain(path.join(root, "device/main.ts")));

    test("every file of services and protocol is either included or excluded by name", () =>
      expect(forgottenFiles(tree, SHARED)).toEqual([]));

    test("every module of services and protocol is imported, by the sources or by the page of a build", async () => {
      const reached = [...(await filesOf()), path.join(root, PAGE_DECODER)];
      expect(deadFiles(tree, reached, SHARED)).toEqual([]);
    });

    test("every module but the first is preloaded", async () => {
      const preloaded = await moduleGraph(tree, tree.preload);
      expect([...(await loaded).reached].filter((name) => !preloaded.reached.has(name))).toEqual(["main"]);
    });

    test("C defines every host function that a module names", () =>
      expect(undefinedNatives(tree)).toEqual([]));

    test("every included header of ours is found", () =>
      expect(unreachableHeaders(tree, path.join(root, "device"))).toEqual([]));

    test("C includes the header of every function of the C library that it calls", () =>
      expect(undeclaredCalls(tree, path.join(root, "device"))).toEqual([]));

    test("the machine has the simulator's sizes", () => {
      const text = ["arena-size.h", "machine-life.c", "program.h"]
        .map((name) => readFileSync(path.join(root, "engine/machine/native", name), "utf8"))
        .join("\n");
      for (const [name, figure] of creationFigures(text)) {
        expect([name, tree.creation.get(name)]).toEqual([name, figure * scaleOf(platform, name)]);
      }
    });

    test("the build options are those of the one table, with its defaults", () => {
      const defaults = Object.entries(OPTIONS).map(([name, option]) => [name, option.default]);
      expect(tree.config["options"]).toEqual(Object.fromEntries(defaults));
    });
  });

/** Errors of `mcconfig` and make are all that a user sees who builds without `npm run moddable`. */
describe("mcconfig alone", () => {
  const json = (name: string) => JSON.parse(readFileSync(path.join(root, name), "utf8"));

  test("names the script that makes the manifest that is missing", () => {
    const { include } = json("device/sandbox/native/manifest.json");
    const script = /\/made-by-npm-run-(\w+)\.json$/.exec(include)?.[1] ?? "";
    expect(json("package.json").scripts).toHaveProperty(script);
  });

  test("gives the linker libraries in one word: mcconfig escapes spaces", () => {
    expect(json("device/hosts/moddable/manifest.json").build["LIBRARIES"]).toMatch(/^\S+,-lssl,-lcrypto$/);
  });

  test("takes the configuration of ESP-IDF from SDKCONFIGPATH if set, and from the board's folder otherwise", () => {
    const { build } = json("device/hosts/moddable/esp32s3/manifest.json");
    for (const [name, file] of [
      ["SDKCONFIGPATH ?=", "sdkconfig.defaults"],
      ["PARTITIONS_FILE", ""],
    ] as const)
      expect(existsSync(path.join(root, "device/hosts/moddable/esp32s3", build[name], file))).toBe(true);
  });

  test("takes the project's TypeScript compiler, whatever is on PATH", () => {
    const { build, typescript } = json("device/manifest.json");
    const compiler = typescript.compiler.replace("$(CONSOLE_DEVICE)/", build["CONSOLE_DEVICE"]);
    expect(existsSync(path.join(root, "device", compiler))).toBe(true);
  });
});
