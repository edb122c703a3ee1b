/** Compiles C files whose objects are out of date, with one compiler process per processor. */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "..");

type Job = { source: string; object: string; flags: readonly string[] };

/** @returns a folder of C and its subfolders, to search for sources and headers */
export function foldersOf(directory: string): readonly string[] {
  const inside = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [directory, ...inside.map(({ name }) => path.join(directory, name)).sort()];
}

/** @param log called with the number of files to compile, unless it is 0 */
export async function compileStale(
  compiler: string,
  jobs: readonly Job[],
  log: (count: number) => void,
): Promise<void> {
  const stale = [];
  for (const job of jobs) if (await isStale(job)) stale.push(job);
  if (stale.length > 0) log(stale.length);
  for (const directory of new Set(stale.map(({ object }) => path.dirname(object))))
    await mkdir(directory, { recursive: true });
  await compileInParallel(compiler, stale);
}

async function compileInParallel(compiler: string, jobs: Job[]): Promise<void> {
  const queue = [...jobs];
  const worker = async () => {
    for (let job = queue.shift(); job; job = queue.shift()) await compile(compiler, job);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** Writes the flags to a file beside the object after compiling: an object without this file is stale. */
async function compile(compiler: string, { source, object, flags }: Job): Promise<void> {
  await run(compiler, [...flags, "-MD", "-c", source, "-o", object]);
  await writeFile(`${object}.flags`, flags.join(" "));
}

/** Whether the flags, the source or an included header changed since the object was compiled. */
async function isStale({ source, object, flags }: Job): Promise<boolean> {
  const [built, oldFlags, dependencies] = await Promise.all([
    timeOf(object),
    textOf(`${object}.flags`),
    textOf(object.replace(/o$/, "d")),
  ]);
  if (built === 0 || oldFlags !== flags.join(" ")) return true;
  const files = dependencies
    .replace(/^.*?:|\\\n/g, "")
    .split(/\s+/)
    .filter(Boolean);
  const times = await Promise.all([source, ...files].map(timeOf));
  return times.some((time) => time === 0 || time > built);
}

const times: Map<string, Promise<number>> = new Map();

/** Time of the last change in milliseconds, 0 for a missing file. */
export function timeOf(file: string): Promise<number> {
  const isOurs = file.startsWith(path.join(root, "build"));
  const known = isOurs ? undefined : times.get(file);
  if (known) return known;
  const time = stat(file).then(
    (status) => status.mtimeMs,
    () => 0,
  );
  if (!isOurs) times.set(file, time);
  return time;
}

/** "" for a missing file. */
export function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
