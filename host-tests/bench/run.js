/**
 * `npm run bench [-- PART...] [--short] [--docs]`: what console and hub do on this machine, as one table.
 *
 * Without a PART it measures those of the console, as `npm run bench:hub` does those of the hub. `--short` does one small
 * round of each, which shows that they run; its figures say little. `--docs` measures everything and writes the table
 * into docs/benchmarks.md. It builds what it needs, and asks for Debian's packages as the tests do; a part that misses one says
 * which. Exit status 0 when no part failed, 2 for wrong usage.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { buildSimulator, buildSpecRunner } from "../../simulator/build.js";
import { hasMultilib, installSystemPackages } from "../../tools/system-packages.js";
import { loadAverage, writeFigures } from "./page.js";

const root = path.join(import.meta.dirname, "../..");

/** In order. What each needs of the system, beside Node. */
const PARTS = Object.freeze({
  console: ["run"],
  apps: ["run"],
  firmware: ["run"],
  engine: ["run"],
  heap: ["run", "heap"],
  "hub-routes": ["load"],
  "hub-fleet": [],
});
const ALL = /** @type {Part[]} */ (Object.keys(PARTS));
const USUAL = ALL.filter((name) => !name.startsWith("hub-"));

/** @typedef {keyof typeof PARTS} Part */
/** @typedef {import("./page.js").Row} Row */

/** JavaScript runs where it is: our build scripts know where they are, which in a bundle they would not. @type {import("esbuild").Plugin} */
const buildScripts = {
  name: "build scripts",
  setup({ onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path: name, resolveDir }) => {
      const file = path.join(resolveDir, name);
      return existsSync(file) ? { path: file, external: true } : undefined;
    });
  },
};

/** Bundles a part, which is TypeScript, and runs it. @param {Part} name @param {Row[]} rows */
async function measure(name, rows) {
  process.stderr.write(`bench: ${name}\n`);
  const outfile = path.join(root, `build/bench/${name}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    plugins: [buildScripts],
  });
  const part = await import(outfile);
  /** @type {import("./row.js").AddRow} */
  const addRow = (what, measured, budget = "") => rows.push({ part: name, what, measured, budget });
  await part.default(addRow);
}

/** Now, so that no part has a compiler beside it. @param {readonly Part[]} parts */
async function prepare(parts) {
  const needs = new Set(parts.flatMap((name) => PARTS[name]));
  for (const purpose of needs) installSystemPackages(/** @type {"run" | "heap" | "load"} */ (purpose));
  if (needs.has("run")) await buildSimulator({ variant: "release" });
  if (parts.includes("engine")) for (const isBare of [false, true]) await buildSpecRunner({ isBare });
  if (needs.has("heap") && hasMultilib()) await buildSimulator({ variant: "m32" });
}

/** @param {readonly Row[]} rows */
function print(rows) {
  const cells = rows.map(({ part, what, measured, budget }) => [part, what, measured, budget]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** What the arguments ask for. @throws {Error} saying what is wrong with them */
function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { short: { type: "boolean", default: false }, docs: { type: "boolean", default: false } },
  });
  const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new Error(`There is no part "${unknown}", there are ${ALL.join(", ")}`);
  if (values.docs && positionals.length > 0)
    throw new Error(`Cannot measure parts alone for --docs: its table has all of them`);
  const usual = values.docs ? ALL : USUAL;
  return { ...values, parts: positionals.length > 0 ? /** @type {Part[]} */ (positionals) : usual };
}

/** @param {ReturnType<typeof readArguments>} wanted @returns {Promise<boolean>} whether no part failed */
async function run({ short: isShort, docs: isForDocs, parts }) {
  process.chdir(root); // where parts look for files
  if (isShort) process.env["SVC_BENCH_SHORT"] = "1";
  const loadBefore = loadAverage();
  await prepare(parts);
  /** @type {Row[]} */
  const rows = [];
  let isFine = true;
  for (const name of parts)
    await measure(name, rows).catch((error) => {
      isFine = false;
      process.stderr.write(`bench: ${name} failed: ${error.stack ?? error}\n`);
    });
  print(rows);
  if (isForDocs && isFine) await writeFigures(rows, { isShort, loadBefore });
  return isFine;
}

function main() {
  try {
    return run(readArguments());
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

process.exit((await main()) ? 0 : 1); // a part that failed may have left a console running, which ends with this
