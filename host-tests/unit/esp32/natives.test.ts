/** The boards' classes and their C name the same functions. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { BUILDS, boardFiles, root, titleOf } from "../../../boards/board-manifest.js";

function filesIn(folder: string, extension: string): string[] {
  const directory = path.join(root, folder);
  return readdirSync(directory, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(extension))
    .map((name) => path.join(directory, name));
}

function namesIn(files: readonly string[], pattern: RegExp): Set<string> {
  const texts = files.map((file) => readFileSync(file, "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name as string)));
}

const COMMON = "device/hosts/common";
/** Calls the host's part of a start from a class of its own, where the Moddable SDK builds. */
const SDK = "device/hosts/moddable/esp32s3";

for (const build of BUILDS)
  describe(titleOf(build), () => {
    const code = [
      ...boardFiles(build, ".c"),
      ...[COMMON, SDK].flatMap((folder) => filesIn(`${folder}/native`, ".c")),
      ...filesIn("device/sandbox/native", ".c"),
      ...filesIn("device/wasm/native", ".c"),
    ];
    const modules = [
      ...[...boardFiles(build, ".js"), ...boardFiles(build, ".ts")],
      ...[".js", ".ts"].flatMap((extension) =>
        [COMMON, SDK].flatMap((folder) => filesIn(`${folder}/modules`, extension)),
      ),
    ];
    const defined = namesIn(code, /^void (xs_\w+)\((?:xsMachine \*the|void \*data)\)/gm);
    const named = namesIn(modules, /[nN]ative\("(xs_\w+)"\)/g);

    test("C defines every function that a class names", () => {
      expect([...named].filter((name) => !defined.has(name))).toEqual([]);
    });

    test("every C function for a class is named by one", () => {
      expect([...defined].filter((name) => !named.has(name))).toEqual([]);
    });

    test("no two C files have the same name: the Moddable SDK puts their objects into one folder", () => {
      const names = code.map((file) => path.basename(file));
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    });
  });
