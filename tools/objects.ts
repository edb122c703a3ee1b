/**
 * Compiles C files and links objects whose inputs have changed. Inputs are compared by content, not by time: a checkout,
 * which gives every file a new time, compiles nothing again.
 *
 * A note beside each product holds the digest of what it was made of: the command, and every file that the compiler read.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

type Job = { source: string; object: string; flags: readonly string[] };

/** @returns a folder of C and its subfolders, to search for sources and headers */
export function foldersOf(directory: string): readonly string[] {
  const inside = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [directory, ...inside.map(({ name }) => path.join(directory, name)).sort()];
}

/**
 * Compile the stale jobs, with one compiler process per processor.
 * @param log called with the number of files to compile, unless it is 0
 */
export async function compileStale(
  compiler: string,
  jobs: readonly Job[],
  log: (count: number) => void,
): Promise<void> {
  const stale = [];
  for (const job of jobs) if (!(await isFresh(job.object, await inputsOf(compiler, job)))) stale.push(job);
  if (stale.length > 0) log(stale.length);
  for (const directory of new Set(stale.map(({ object }) => path.dirname(object))))
    await mkdir(directory, { recursive: true });
  const queue = [...stale];
  const worker = async () => {
    for (let job = queue.shift(); job; job = queue.shift()) await compile(compiler, job);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

async function compile(compiler: string, job: Job): Promise<void> {
  const began = Date.now();
  await rm(noteOf(job.object), { force: true });
  await run(compiler, [...job.flags, "-MD", "-c", job.source, "-o", job.object]);
  const times = await Promise.all((await filesRead(job)).map(timeOf));
  // A file that was edited meanwhile may not be the one that was compiled: without a note, the object stays stale.
  if (times.every((time) => time <= began))
    await writeFile(noteOf(job.object), await inputsOf(compiler, job));
}

/** What a program or an image is linked of: `files` are objects, scripts of the linker and the like. */
type Link = { readonly files: readonly string[]; readonly flags: readonly string[] };

/**
 * Link unless `output` was made of the same inputs. It is replaced atomically: it may be running, or just being started.
 * @param link writes the file that it is given
 */
export async function linkStale(
  output: string,
  { files, flags }: Link,
  link: (file: string) => Promise<unknown>,
): Promise<void> {
  const inputs = await digestOf(flags, files);
  if ((await timeOf(output)) > 0 && (await isFresh(output, inputs))) return;
  await rm(noteOf(output), { force: true });
  await link(`${output}.new`);
  await rename(`${output}.new`, output);
  await writeFile(noteOf(output), inputs);
}

const noteOf = (product: string) => `${product}.inputs`;

async function isFresh(product: string, inputs: string): Promise<boolean> {
  return (await textOf(noteOf(product))) === inputs;
}

async function inputsOf(compiler: string, job: Job): Promise<string> {
  return digestOf([compiler, ...job.flags], await filesRead(job));
}

/** The source and its headers, as the compiler listed them; the source alone before it was compiled. */
async function filesRead({ source, object }: Job): Promise<string[]> {
  const dependencies = await textOf(object.replace(/o$/, "d"));
  const listed = dependencies
    .replace(/^.*?:|\\\n/g, "")
    .split(/\s+/)
    .filter(Boolean);
  return [source, ...listed.filter((file) => file !== source)];
}

async function digestOf(flags: readonly string[], files: readonly string[]): Promise<string> {
  const contents = await Promise.all(files.map(contentOf));
  const hash = createHash("sha256").update(JSON.stringify(flags));
  for (const [index, file] of files.entries()) hash.update(`\n${file} ${contents[index]}`);
  return hash.digest("hex");
}

/** Digests of files that this process has read, which hundreds of objects share. */
const contents = new Map<string, { readonly changedMs: number; readonly digest: Promise<string> }>();

/** Digest of a file's content, "" for a missing file. */
async function contentOf(file: string): Promise<string> {
  const changedMs = await timeOf(file);
  const known = contents.get(file);
  if (known?.changedMs === changedMs) return known.digest;
  const digest = readFile(file).then(
    (bytes) => createHash("sha256").update(bytes).digest("hex"),
    () => "",
  );
  contents.set(file, { changedMs, digest });
  return digest;
}

/** Time of the last change in milliseconds, 0 for a missing file. */
function timeOf(file: string): Promise<number> {
  return stat(file).then(
    (status) => status.mtimeMs,
    () => 0,
  );
}

/** "" for a missing file. */
export function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
