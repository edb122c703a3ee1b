/** Writes the table of docs/benchmarks.md: the figures of a run, with machine, date, commit and load. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "../..");
const PAGE = "docs/benchmarks.md";
/** The line before and after the generated part of the page. */
const MARK = "<!-- Between these marks: written by `npm run bench -- --docs`; do not edit. -->\n";
/** Load average per core above which other work distorts the figures. */
const QUIET_LOAD = 0.25;

export type Row = { part: string; what: string; measured: string; budget: string };
type Run = { isShort: boolean; loadBefore: number };

/** Load average of the last minute. */
export const loadAverage = (): number => os.loadavg()[0] ?? 0;

/** Replaces the part of the page between its marks with these rows. */
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

/** Returns the commit of the measured sources. */
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
