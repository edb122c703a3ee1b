/**
 * Builds the web console into `build/console`: a page, its start script, and the script of the panels that the page
 * loads later; each plain and in gzip (`.gz`), for the hub and the firmware. Silent when there is nothing to do.
 *
 *     npm run build:console
 *
 * The build is reproducible: the same sources give the same bytes, and so the same firmware.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "fflate";
import { LAUNCHER } from "./launcher.js";
import { withLock } from "./lock.js";
import { replaceFile } from "./replace-file.js";
import { bundlePage } from "./web-bundle.js";
import { PAGE_FILES } from "./web-page-files.js";

const root = path.dirname(import.meta.dirname);
const output = path.join(root, "build/console");

/** What the page is made of; the rest of the tree is not in it. */
const SOURCES = ["web", "device-client", "protocol"];
const BUNDLER = path.join(import.meta.dirname, "web-bundle.ts");

/** Argument of the process that builds. */
const BY_ITSELF = "--by-itself";

export interface ConsoleFile {
  /** Where a server has it. */
  readonly path: string;
  readonly mediaType: string;
  /** Path of the file. */
  readonly plain: string;
  /** Path of the same in gzip. */
  readonly compressed: string;
}

/** Everything that a server needs to have. */
const BUILT: readonly ConsoleFile[] = Object.freeze(
  PAGE_FILES.map(({ path: at, name, mediaType }) => {
    const plain = path.join(output, name);
    return Object.freeze({ path: at, mediaType, plain, compressed: `${plain}.gz` });
  }),
);

/** Digest of what the page was built of; there only while the page is that. */
const STAMP = path.join(output, "inputs");

/**
 * Returns a fresh build at once, since many programs call it. Builds a stale one in a process of its own: the bundler
 * reads its caller's environment, and the page must be identical for every caller.
 * @throws {Error} with what the bundler says
 */
export async function buildConsole(): Promise<readonly ConsoleFile[]> {
  if (await isFresh()) return BUILT;
  return withLock(output, async () => {
    if (!(await isFresh())) await runAlone();
    return BUILT;
  });
}

/**
 * While the page is being worked on, what serves it can be started all the same: with the one that was built last.
 * @throws {Error} where none was built yet
 */
export async function consoleOrLast(): Promise<readonly ConsoleFile[]> {
  try {
    return await buildConsole();
  } catch (error) {
    if (!BUILT.every(({ plain, compressed }) => existsSync(plain) && existsSync(compressed))) throw error;
    const { message } = error as Error;
    process.stderr.write(`${message.trim()}\nThe web console is the one that was built before.\n`);
    return BUILT;
  }
}

async function isFresh() {
  return (await readFile(STAMP, "utf8").catch(() => "")) === (await digestOfSources());
}

async function runAlone() {
  const { VITEST: _, ...environment } = process.env;
  const child = execFile(process.execPath, [LAUNCHER, import.meta.filename, BY_ITSELF], {
    cwd: root,
    env: { ...environment, NODE_ENV: "production" },
  });
  let said = "";
  child.stderr?.on("data", (text) => {
    said += text;
  });
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`The web console does not build:\n${stripVTControlCharacters(said)}`);
}

/** Builds it in any case. */
async function rebuild() {
  const inputs = await digestOfSources();
  const texts = await bundlePage();
  await rm(STAMP, { force: true });
  for (const { plain, compressed } of BUILT) {
    const text = texts.get(path.basename(plain));
    if (text === undefined) throw new Error(`The bundler has made no "${path.basename(plain)}"`);
    await replaceFile(plain, text);
    await replaceFile(compressed, gzipSync(new TextEncoder().encode(text), { level: 9, mtime: 0 }));
  }
  await replaceFile(STAMP, inputs);
}

/** Of every file that the page may be made of, the versions of packages included. */
async function digestOfSources() {
  const hash = createHash("sha256");
  const files = await Promise.all(SOURCES.map(filesBelow));
  for (const file of [...files.flat(), path.join(root, "package-lock.json"), BUNDLER].sort())
    hash.update(`${path.relative(root, file)}\n`).update(await readFile(file));
  return hash.digest("hex");
}

async function filesBelow(directory: string) {
  const entries = await readdir(path.join(root, directory), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

if (process.argv[1] === import.meta.filename) {
  const isAlone = process.argv[2] === BY_ITSELF;
  const built = isAlone ? rebuild() : buildConsole();
  await built.then(
    () => isAlone || process.stdout.write(`${path.relative("", output)}\n`),
    ({ message }) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    },
  );
}
