/** The table of docs/benchmarks.md: what a run measured, on which machine, when, of which commit, and beside what load. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");
const PAGE = "docs/benchmarks.md";
/** Before and after what is made of the page. */
export const MARK = "<!-- Between these marks: written by `npm run bench -- --docs`; do not edit. -->\n";
/** A load for each core above which figures are worse than the machine's own. */
const QUIET_LOAD = 0.25;

/** @typedef {{ part: string, what: string, measured: string, budget: string }} Row */
/** @typedef {{ isShort: boolean, loadBefore: number }} Run */

/** Of the last minute. @returns {number} */
export const loadAverage = () => os.loadavg()[0] ?? 0;

/** Writes the page anew, with these rows between its marks. @param {readonly Row[]} rows @param {Run} run */
export async function writeFigures(rows, run) {
  const page = path.join(root, PAGE);
  const [before, , after] = (await readFile(page, "utf8")).split(MARK);
  if (after === undefined) throw new Error(`There are no two lines "${MARK.trim()}" in ${PAGE}`);
  await writeFile(page, [before, `\n${captionOf(run)}\n\n${tableOf(rows)}\n`, after].join(MARK));
  process.stderr.write(`bench: wrote ${PAGE}\n`);
}

/** @param {readonly Row[]} rows */
function tableOf(rows) {
  const lines = rows.map((row) => `| ${row.part} | ${row.what} | ${row.measured} | ${row.budget} |\n`);
  return `| Part | What | Measured | Budget |\n|---|---|---|---|\n${lines.join("")}`;
}

/** @param {Run} run */
function captionOf({ isShort, loadBefore }) {
  const cores = os.availableParallelism();
  const sentences = [
    `Measured on ${new Date().toISOString().slice(0, 10)} at commit ${commit()}, on ${machine(cores)}.`,
    ...(isShort ? ["**A short round**: one small round of each, whose figures say little."] : []),
    ...(loadBefore > QUIET_LOAD * cores
      ? [
          "**The machine was busy with other work**: times are longer than on a quiet one, and ratios may be off either way.",
        ]
      : []),
    `Load average before: ${loadBefore.toFixed(1)}; at the end, with the benchmarks' own: ${loadAverage().toFixed(1)}.`,
  ];
  return sentences.join("\n");
}

/** @param {number} cores */
function machine(cores) {
  const processor = os.cpus()[0]?.model.trim() || os.machine();
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB`;
  return `${processor} (${cores} ${cores === 1 ? "core" : "cores"}, ${memory}), ${systemName()}, Node ${process.versions.node}`;
}

function systemName() {
  try {
    return /^PRETTY_NAME="(.+)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? os.type();
  } catch {
    return os.type(); // a system without that file
  }
}

/** Of the sources that were measured. */
function commit() {
  try {
    const isChanged = git("status", "--porcelain", "--untracked-files=no", "--", ".", `:!${PAGE}`) !== "";
    return `${git("rev-parse", "--short=10", "HEAD")}${isChanged ? " with changes" : ""}`;
  } catch {
    return "unknown"; // sources from an archive
  }
}

/** @param {string[]} command */
function git(...command) {
  return execFileSync("git", command, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}
