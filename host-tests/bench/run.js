/**
 * `npm run bench`: what the console does on this machine, as one table. `npm run bench -- apps heap` measures only
 * these parts; those of the hub are only measured when they are asked for (`npm run bench:hub`).
 */
import { join } from "node:path";
import { build } from "esbuild";

const USUAL_PARTS = ["console", "apps", "firmware", "engine", "heap"];
const PARTS = [...USUAL_PARTS, "hub-routes", "hub-fleet"];

/** Build scripts know where they are, which in a bundle they would not. @type {import("esbuild").Plugin} */
const buildScripts = {
  name: "build scripts",
  setup({ onResolve }) {
    onResolve({ filter: /\/(simulator|hub)\/build\.js$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      external: true,
    }));
  },
};

/** @type {[what: string, measured: string, budget: string][]} */
const rows = [];

/** Bundles a part, which is TypeScript, and runs it. @param {string} name */
async function measure(name) {
  process.stderr.write(`bench: ${name}\n`);
  const outfile = join(import.meta.dirname, `../../build/bench/${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
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
  const addRow = (what, measured, budget = "") => rows.push([what, measured, budget]);
  await part.default(addRow);
}

function print() {
  const width = (/** @type {0 | 1} */ column) => Math.max(...rows.map((cells) => cells[column].length));
  for (const [what, measured, budget] of rows)
    console.log(`${what.padEnd(width(0))}  ${measured.padEnd(width(1))}  ${budget}`.trimEnd());
}

const asked = process.argv.slice(2);
const unknown = asked.find((name) => !PARTS.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`bench: there is no part "${unknown}", there are ${PARTS.join(", ")}\n`);
  process.exit(2);
}
try {
  for (const name of asked.length > 0 ? asked : USUAL_PARTS) await measure(name);
} finally {
  print(); // what was measured before the one that failed, too
}
