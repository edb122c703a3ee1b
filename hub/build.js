/**
 * Builds the hub's programs into `build/hub`, each one module that imports its packages from where they are installed.
 * Beside them, in `console`, builds the web console that the server serves, plain and compressed. Several processes may
 * build at once.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { replaceFile } from "../tools/replace-file.js";
import { consoleOrLast } from "../web/build.js";

const root = path.dirname(import.meta.dirname);
const output = path.join(root, "build", "hub");

/** The server, and what the operator's commands call. */
const PROGRAMS = ["main", "operator"];

/** @returns {Promise<string>} the directory, with `main.js` in it */
export async function buildHub() {
  const entryPoints = PROGRAMS.map((name) => path.join(root, "hub", `${name}.ts`)).filter(existsSync);
  const { outputFiles } = await build({
    entryPoints,
    absWorkingDir: root,
    outdir: output,
    write: false,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    charset: "utf8",
    sourcemap: true,
    logLevel: "warning",
  });
  const files = await consoleOrLast();
  await Promise.all([
    ...outputFiles.map(({ path, contents }) => replaceFile(path, contents)),
    ...files.flatMap(({ plain, compressed }) => [copy(plain), copy(compressed)]),
  ]);
  return output;
}

/** @param {string} file of the web console */
async function copy(file) {
  await replaceFile(path.join(output, "console", path.basename(file)), await readFile(file));
}
