/** Code for a console runs on every host and in both versions of XS, whichever of them it was tried on. */
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fieldsOfNatives, foreignNames, hasNewSyntax } from "./code-checks.js";
import { codeBelow } from "./manifest-checks.js";

const root = path.join(import.meta.dirname, "../../..");
const DIRECTORIES = ["device", "protocol", "hub-client"].map((name) => path.join(root, name));
/** The home screen is AssemblyScript, which no XS runs. */
const ASSEMBLYSCRIPT = path.join(root, "device/home/app/");
const CODE = codeBelow(DIRECTORIES.filter((directory) => existsSync(directory))).filter(
  (file) => !file.startsWith(ASSEMBLYSCRIPT),
);

test("no code of the console imports or uses what only Node or a browser has", async () => {
  const found = await Promise.all(CODE.map(async (file) => [file, await foreignNames(file)] as const));
  expect(found.filter(([, names]) => names.length > 0)).toEqual([]);
});

test("no code of the console has syntax newer than ES2022 without its types", async () => {
  const found = await Promise.all(CODE.map(async (file) => ((await hasNewSyntax(file)) ? [file] : [])));
  expect(found.flat()).toEqual([]);
});

test("no class over C has fields or private methods, which the SDK's XS does not support there", () =>
  expect(CODE.flatMap(fieldsOfNatives)).toEqual([]));
