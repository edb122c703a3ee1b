/**
 * `npm run bench [-- PART...] [--short] [--docs]`: measures console and hub on this machine and prints one table.
 *
 * Without a PART it measures the console's parts; `npm run bench:hub` measures the hub's. `--short` runs one small
 * round of each part, which shows that it works; its figures mean little. `--docs` measures everything and writes the
 * table into docs/benchmarks.md. Builds what it needs, and installs or names Debian packages as the tests do; a part
 * that misses a package names it. Exit status: 0 if no part failed, 1 if one failed, 2 for wrong usage.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { buildSimulator, buildSpecRunner } from "../../simulator/build.js";
import { hasMultilib, installSystemPackages } from "../../tools/system-packages.js";
import { ENGINES } from "./engines.js";
import { loadAverage, type Row, writeFigures } from "./page.js";
import type { AddRow } from "./row.js";

const root = path.join(import.meta.dirname, "../..");

interface Part {
  readonly needs: readonly Parameters<typeof installSystemPackages>[0][];
  readonly load: () => Promise<{ readonly default: (addRow: AddRow) => Promise<void> }>;
}

/** The parts in order, each with its system packages besides Node, and its program. */
const PARTS: Readonly<Record<string, Part>> = Object.freeze<Record<string, Part>>({
  console: { needs: ["run"], load: () => import("./console.js") },
  apps: { needs: ["run"], load: () => import("./apps.js") },
  "app-dev": { needs: ["run", "apps"], load: () => import("./app-dev.js") },
  firmware: { needs: ["run"], load: () => import("./firmware.js") },
  hostile: { needs: ["run"], load: () => import("./hostile.js") },
  engine: { needs: ["run"], load: () => import("./engine.js") },
  aot: { needs: ["run", "apps"], load: () => import("./aot.js") },
  heap: { needs: ["run", "heap"], load: () => import("./heap.js") },
  "hub-routes": { needs: ["load"], load: () => import("./hub-routes.js") },
  "hub-fleet": { needs: [], load: () => import("./hub-fleet.js") },
  "hub-rollout": { needs: [], load: () => import("./hub-rollout.js") },
  "hub-growth": { needs: ["load"], load: () => import("./hub-growth.js") },
});
const ALL = Object.keys(PARTS);
const USUAL = ALL.filter((name) => !name.startsWith("hub-"));

async function measure(name: string, rows: Row[]): Promise<void> {
  process.stderr.write(`bench: ${name}
`);
  const part = await PARTS[name]?.load();
  await part?.default((what, measured, budget = "") => rows.push({ part: name, what, measured, budget }));
}

/** Installs and builds in advance, so that no compiler runs beside a measurement. */
async function prepare(parts: readonly string[]): Promise<void> {
  const needs = new Set(parts.flatMap((name) => PARTS[name]?.needs ?? []));
  for (const purpose of needs) installSystemPackages(purpose);
  if (needs.has("run")) await buildSimulator({ variant: "release" });
  if (parts.includes("engine")) for (const engine of ENGINES) await buildSpecRunner(engine);
  if (needs.has("heap") && hasMultilib()) await buildSimulator({ variant: "m32" });
}

function print(rows: readonly Row[]): void {
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

/**
 * Parses the arguments.
 * @throws {Error} with the reason if they are invalid
 */
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
  return { ...values, parts: positionals.length > 0 ? positionals : usual };
}

/** @returns true if no part failed */
async function run({
  short: isShort,
  docs: isForDocs,
  parts,
}: ReturnType<typeof readArguments>): Promise<boolean> {
  process.chdir(root); // parts use paths relative to the root
  if (isShort) process.env["SVC_BENCH_SHORT"] = "1";
  const loadBefore = loadAverage();
  await prepare(parts);
  const rows: Row[] = [];
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

function main(): Promise<boolean> {
  try {
    return run(readArguments());
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

process.exit((await main()) ? 0 : 1); // also ends consoles that a failed part left running
