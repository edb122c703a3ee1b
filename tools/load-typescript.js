/**
 * TypeScript modules for programs on Node: what consoles run too, compiled, and kept until a source has changed.
 *
 * Compiling takes as long as starting Node does, and `svc` does it at each start. So what was compiled stays in
 * build/typescript, beside a note of its sources and a digest of their content; reading them takes a few milliseconds.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { replaceFile } from "./replace-file.js";

/**
 * @typedef {object} Note
 * @property {readonly string[]} sources paths from the root of the project
 * @property {string} digest of their content
 * @property {string} module name of the file beside the note
 */

const root = path.join(import.meta.dirname, "..");
const directory = path.join(root, "build/typescript");

/** What decides on the outcome as much as the sources do. */
const COMPILER = Object.freeze(["tools/load-typescript.js", "node_modules/esbuild/package.json"]);

/**
 * The caller declares the types of the exports: esbuild knows no types.
 *
 * @template Exports
 * @param {readonly string[]} modules paths from the root of the project
 * @returns {Promise<Exports>} everything that they export
 */
export async function loadTypeScript(modules) {
  const noteFile = path.join(directory, `${digestOf(modules)}.json`);
  const kept = readNote(noteFile);
  return import(kept && isCurrent(kept) ? urlOf(kept.module) : await compileAndKeep(modules, noteFile));
}

/** @param {readonly string[]} modules */
async function compile(modules) {
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: modules.map((module) => `export * from "./${module}";`).join("\n"),
      resolveDir: root,
      loader: "ts",
    },
    absWorkingDir: root,
    bundle: true,
    external: ["node:*"],
    format: "esm",
    metafile: true,
    write: false,
  });
  const sources = Object.keys(metafile.inputs).filter((source) => source !== "<stdin>");
  return { sources: [...COMPILER, ...sources], content: outputFiles[0]?.contents ?? new Uint8Array() };
}

/**
 * @param {readonly string[]} modules
 * @param {string} noteFile
 * @returns {Promise<string>} the URL of the module
 */
async function compileAndKeep(modules, noteFile) {
  const startMs = Date.now();
  const { sources, content } = await compile(modules);
  const module = `${digestOf([content])}.mjs`;
  try {
    await replaceFile(path.join(directory, module), content);
    const digest = contentDigest(sources);
    // What was edited meanwhile may have been compiled as it was before, and is compiled again next time.
    if (digest && !sources.some((source) => statSync(path.join(root, source)).mtimeMs >= startMs))
      await replaceFile(noteFile, JSON.stringify({ sources, digest, module }));
    return urlOf(module);
  } catch {
    // Nothing can be written here: it is compiled each time.
    return `data:text/javascript;base64,${Buffer.from(content).toString("base64")}`;
  }
}

/** @param {string} module */
function urlOf(module) {
  return pathToFileURL(path.join(directory, module)).href;
}

/** @param {string} file @returns {Note | undefined} */
function readNote(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined; // nothing was compiled yet, or nothing of use
  }
}

/** @param {Note} note */
function isCurrent({ sources, digest, module }) {
  return contentDigest(sources) === digest && existsSync(path.join(directory, module));
}

/** @param {readonly string[]} sources @returns {string | undefined} `undefined` where one is gone */
function contentDigest(sources) {
  try {
    return digestOf(sources.map((source) => readFileSync(path.join(root, source))));
  } catch {
    return undefined;
  }
}

/** @param {readonly (string | Uint8Array)[]} parts */
function digestOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("hex");
}
