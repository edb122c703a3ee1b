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

export type Row = { part: string; what: string; measured: string; budget: string };
type Run = { isShort: boolean; loadBefore: number };

/** Of the last minute. */
export const loadAverage = (): number => os.loadavg()[0] ?? 0;

/** Writes the page anew, with these rows between its marks. */
export async function writeFigures(rows: readonly Row[], run: Run): Promise<void> {
  const page = path.join(root, PAGE);
  const [before, , after] = (await readFile(page, "utf8")).split(MARK);
  if (after === undefined) throw new Error(`There are no two lines "${MARK.trim()}" in ${PAGE}`);
  await writeFile(page, [before, `\n${captionOf(run)}\n\n${tableOf(rows)}\n`, after].join(MARK));
  process.stderr.write(`bench: wrote ${PAGE}\n`);
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => `| ${row.part} | ${row.what} | ${row.measured} | ${row.budget} |\n`);
  return `| Part | What | Measured | Budget |\n|---|---|---|---|\n${lines.join("")}`;
}

function captionOf({ isShort, loadBefore }: Run): string {
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

function machine(cores: number): string {
  const processor = os.cpus()[0]?.model.trim() || os.machine();
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GiB`;
  return `${processor} (${cores} ${cores === 1 ? "core" : "cores"}, ${memory}), ${systemName()}, Node ${process.versions.node}`;
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="(.+)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? os.type();
  } catch {
    return os.type(); // a system without that file
  }
}

/** Of the sources that were measured. */
function commit(): string {
  try {
    const isChanged = git("status", "--porcelain", "--untracked-files=no", "--", ".", `:!${PAGE}`) !== "";
    return `${git("rev-parse", "--short=10", "HEAD")}${isChanged ? " with changes" : ""}`;
  } catch {
    return "unknown"; // sources from an archive
  }
}

function git(...command: string[]): string {
  return execFileSync("git", command, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}
