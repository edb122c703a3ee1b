/**
 * `npm run bench [-- PART...] [--short] [--docs]`: what console and hub do on this machine, as one table.
 *
 * Without a PART it measures those of the console, as `npm run bench:hub` does those of the hub. `--short` does one small
 * round of each, which shows that they run; its figures say little. `--docs` measures everything and writes the table
 * into docs/benchmarks.md. It builds what it needs, and asks for Debian's packages as the tests do; a part that misses one says
 * which. Exit status 0 when no part failed, 2 for wrong usage.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { buildSimulator, buildSpecRunner } from "../../simulator/build.js";
import { hasMultilib, installSystemPackages } from "../../tools/system-packages.js";
import { loadAverage, type Row, writeFigures } from "./page.js";
import type { AddRow } from "./row.js";

const root = path.join(import.meta.dirname, "../..");

interface Part {
  readonly needs: readonly Parameters<typeof installSystemPackages>[0][];
  readonly load: () => Promise<{ readonly default: (addRow: AddRow) => Promise<void> }>;
}

/** In order: what each needs of the system, beside Node, and its program. */
const PARTS: Readonly<Record<string, Part>> = Object.freeze<Record<string, Part>>({
  console: { needs: ["run"], load: () => import("./console.js") },
  apps: { needs: ["run"], load: () => import("./apps.js") },
  firmware: { needs: ["run"], load: () => import("./firmware.js") },
  hostile: { needs: ["run"], load: () => import("./hostile.js") },
  engine: { needs: ["run"], load: () => import("./engine.js") },
  heap: { needs: ["run", "heap"], load: () => import("./heap.js") },
  "hub-routes": { needs: ["load"], load: () => import("./hub-routes.js") },
  "hub-fleet": { needs: [], load: () => import("./hub-fleet.js") },
});
const ALL = Object.keys(PARTS);
const USUAL = ALL.filter((name) => !name.startsWith("hub-"));

async function measure(name: string, rows: Row[]): Promise<void> {
  process.stderr.write(`bench: ${name}
`);
  const part = await PARTS[name]?.load();
  await part?.default((what, measured, budget = "") => rows.push({ part: name, what, measured, budget }));
}

/** Now, so that no part has a compiler beside it. */
async function prepare(parts: readonly string[]): Promise<void> {
  const needs = new Set(parts.flatMap((name) => PARTS[name]?.needs ?? []));
  for (const purpose of needs) installSystemPackages(purpose);
  if (needs.has("run")) await buildSimulator({ variant: "release" });
  if (parts.includes("engine")) for (const isBare of [false, true]) await buildSpecRunner({ isBare });
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
 * What the arguments ask for.
 * @throws {Error} saying what is wrong with them
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

/** @returns whether no part failed */
async function run({
  short: isShort,
  docs: isForDocs,
  parts,
}: ReturnType<typeof readArguments>): Promise<boolean> {
  process.chdir(root); // where parts look for files
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

process.exit((await main()) ? 0 : 1); // a part that failed may have left a console running, which ends with this
