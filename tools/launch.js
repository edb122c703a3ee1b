/**
 * Starts a program of the project that is written in TypeScript:
 *
 *     node tools/launch.js ENTRY.ts [ARGUMENT...]
 *
 * It bundles the entry and what it imports into build/launch, where the bundle stays until a source changes. The program
 * then runs in this process, so standard streams, signals and exit status are its own. Packages are imported from where
 * they are installed, except for those of many small modules, which become part of the bundle: Node takes half a second to
 * find a thousand files. `import.meta.dirname`, `filename` and `url` are those of each source, not of the bundle.
 *
 * A note beside each bundle lists its sources. A start compares their sizes and times, and reads only those that differ,
 * so that `svc` starts almost as fast as Node itself. In a read-only tree without a current bundle, each start bundles
 * into a temporary directory.
 *
 * The launcher is JavaScript because Node must run it before there is a bundle.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, Worker, workerData } from "node:worker_threads";

/**
 * @typedef {object} Source
 * @property {string} file path from the root of the project
 * @property {number} sizeBytes
 * @property {number} changedMs 0 if the file changed so recently that a later version may have the same time
 * @property {string} digest of the content
 */

/**
 * @typedef {object} Note
 * @property {string} root of the project; its path is compiled into the bundle
 * @property {string} entry name of the file that starts the program
 * @property {readonly string[]} files names of all files of the bundle
 * @property {Source[]} sources
 */

const root = path.dirname(import.meta.dirname);

/** Further inputs of a bundle. */
const COMPILER = Object.freeze(["tools/launch.js", "node_modules/esbuild/package.json"]);

/** Packages that become part of a bundle. Each has hundreds of modules and no dependencies. */
const BUNDLED = Object.freeze(["kysely", "typebox"]);

/** A file of a package: the package's directory is group 1. */
const PACKAGE_FILE = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** Coarsest clock step of a file system: two changes within it may get the same time. */
const CLOCK_STEP_MS = 2000;

/** How long a replaced bundle stays: a running program may still import parts of it. */
const REPLACED_MS = 86_400_000;

/**
 * @param {string} entry TypeScript, from the root of the project
 * @param {readonly string[]} args `process.argv` of the program, from index 2
 * @returns {Promise<void>} settles with the program's module
 */
export async function launch(entry, args) {
  const file = realpathSync(path.resolve(root, entry));
  process.argv.splice(1, process.argv.length, file, ...args);
  process.setSourceMapsEnabled(true);
  await import(await bundled(file));
}

/**
 * @param {string} entry absolute path
 * @returns {Promise<string>} URL of the bundled module
 * @throws {Error} naming the faulty source and the fault
 */
async function bundled(entry) {
  const directory = directoryOf(entry);
  const note = currentNote(directory);
  if (note) return urlOf(directory, note);
  const { url, temporary } = await bundleInThread(entry);
  if (temporary) process.once("exit", () => rmSync(temporary, { recursive: true, force: true }));
  return url;
}

/**
 * What bundling leaves behind in V8 would slow the program by up to a half for as long as it runs.
 * @param {string} entry
 * @returns {ReturnType<typeof bundle>}
 */
function bundleInThread(entry) {
  const env = { ...process.env, NODE_OPTIONS: "" }; // neither these nor `execArgv` load anything into the thread
  const thread = new Worker(import.meta.filename, { env, execArgv: [], workerData: { [TO_BUNDLE]: entry } });
  return new Promise((resolve, reject) => {
    thread.on("message", resolve);
    thread.on("error", reject);
    thread.on("exit", () => reject(new Error(`Cannot bundle ${entry}`))); // or it has resolved before
  });
}

/** The thread's data: the entry. */
const TO_BUNDLE = "svc-launch-entry";

/** @param {string} entry absolute path @returns {string} where its bundle stays */
function directoryOf(entry) {
  const { dir, name } = path.parse(path.relative(root, entry));
  return path.join(root, "build/launch", dir.replaceAll("..", "_"), name);
}

/**
 * @param {string} entry
 * @returns {Promise<{ readonly url: string, readonly temporary?: string }>} temporary: a directory to delete in the end
 */
async function bundle(entry) {
  const directory = directoryOf(entry);
  if (isWritable(directory)) {
    const { files, ...made } = await compile(entry, directory);
    if (keep(directory, files, made)) return { url: urlOf(directory, made) };
  }
  const temporary = mkdtempSync(path.join(tmpdir(), "launch-")); // not writable for other users
  try {
    const { files, ...made } = await compile(entry, temporary, { isElsewhere: true });
    for (const file of files) writeFileSync(file.path, file.contents);
    return { url: urlOf(temporary, made), temporary };
  } catch (error) {
    rmSync(temporary, { recursive: true });
    throw error;
  }
}

/** @param {string} directory @param {Pick<Note, "entry">} note */
function urlOf(directory, { entry }) {
  return pathToFileURL(path.join(directory, entry)).href;
}

/** @param {string} directory @returns {Note | undefined} `undefined` if the entry must be bundled */
function currentNote(directory) {
  try {
    const note = JSON.parse(readFileSync(path.join(directory, "note.json"), "utf8"));
    return note.root === root && isCurrent(note, directory) ? note : undefined;
  } catch {
    return undefined; // no bundle yet, a damaged note, another launcher's note, or a deleted source
  }
}

/** @param {Note} note updated if only times have changed @param {string} directory */
function isCurrent(note, directory) {
  let isTouched = false;
  for (const source of note.sources) {
    const status = statSync(path.join(root, source.file), { throwIfNoEntry: false });
    if (!status) return false;
    if (status.ctimeMs === source.changedMs && status.size === source.sizeBytes) continue;
    const { source: now } = readSource(path.join(root, source.file));
    if (now.digest !== source.digest) return false;
    if (now.changedMs !== source.changedMs) isTouched = true;
    Object.assign(source, now);
  }
  if (!note.files.every((file) => existsSync(path.join(directory, file)))) return false;
  if (isTouched) writeNote(directory, note);
  return true;
}

/** @param {string} file absolute path @returns {{ readonly source: Source, readonly content: Buffer }} */
function readSource(file) {
  // Status before content: a file that changes in between then differs from its note.
  const { ctimeMs, size } = statSync(file);
  const content = readFileSync(file);
  const source = {
    file: path.relative(root, file),
    sizeBytes: size,
    changedMs: ctimeMs < Date.now() - CLOCK_STEP_MS ? ctimeMs : 0,
    digest: createHash("sha256").update(content).digest("hex"),
  };
  return { source, content };
}

/** @param {string} directory created if missing */
function isWritable(directory) {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {string} entry
 * @param {string} directory of the bundle
 * @param {{ readonly isElsewhere?: boolean }} [options] isElsewhere: Node cannot resolve packages from `directory`
 */
async function compile(entry, directory, { isElsewhere = false } = {}) {
  const { build, stop } = await import("esbuild");
  const sources = COMPILER.map((file) => readSource(path.join(root, file)).source);
  /** @type {import("esbuild").Plugin} */
  const placing = {
    name: "placing",
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: "file" }, ({ path: file }) => {
        if (PACKAGE_FILE.test(file))
          return { contents: placed(readFileSync(file, "utf8"), file), loader: "js" };
        const { source, content } = readSource(file);
        sources.push(source);
        return { contents: placed(content.toString(), file), loader: loaderOf(file) };
      });
      onResolve({ filter: /^[^./]/ }, ({ path: specifier, kind }) => {
        if (kind === "entry-point" || BUNDLED.some((name) => `${specifier}/`.startsWith(`${name}/`)))
          return undefined;
        return { path: isElsewhere ? addressOf(specifier) : specifier, external: true };
      });
    },
  };
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    outdir: directory,
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    splitting: true,
    plugins: [placing],
    define: Object.fromEntries(PLACES.map((place) => [`import.meta.${place}`, nameOf(place)])),
    tsconfigRaw: { compilerOptions: { target: "ES2022", verbatimModuleSyntax: true } },
    write: false,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    charset: "utf8",
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    logLevel: "silent",
  });
  await stop(); // ends esbuild's own process, which most programs do not need
  const known = new Set(sources.map(({ file }) => file));
  for (const input of Object.keys(metafile.inputs)) {
    const [, directoryOfPackage] = PACKAGE_FILE.exec(path.join(root, input)) ?? [];
    // Installing another version of a package replaces its package.json, which stands for all of its files.
    const file = directoryOfPackage ? path.join(directoryOfPackage, "package.json") : path.join(root, input);
    const name = path.relative(root, file);
    if (known.has(name)) continue;
    known.add(name);
    sources.push(readSource(file).source);
  }
  const name = path.relative(root, entry);
  const [main] = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === name) ?? [""];
  return { entry: path.basename(main), sources, files: outputFiles };
}

/** @param {string} specifier of a package; unchanged if the package is not installed, as it may never be imported */
function addressOf(specifier) {
  try {
    return import.meta.resolve(specifier);
  } catch {
    return specifier;
  }
}

const PLACES = /** @type {const} */ (["dirname", "filename", "url"]);

/** @param {typeof PLACES[number]} place */
function nameOf(place) {
  return `source_${place}`;
}

/** Defines the places that the text uses, on its first line, so that line numbers stay. @param {string} text @param {string} file */
function placed(text, file) {
  const values = { dirname: path.dirname(file), filename: file, url: pathToFileURL(file).href };
  const asked = PLACES.filter((place) => text.includes(`import.meta.${place}`));
  return asked.map((place) => `const ${nameOf(place)} = ${JSON.stringify(values[place])};`).join("") + text;
}

/** @param {string} file @returns {import("esbuild").Loader} */
function loaderOf(file) {
  return /x$/.test(file) ? "tsx" : /ts$/.test(file) ? "ts" : "js";
}

/**
 * Stores a bundle. Several processes may do so at once: file names contain a hash of the content, and the note is
 * written last.
 *
 * @param {string} directory
 * @param {readonly import("esbuild").OutputFile[]} files
 * @param {Pick<Note, "entry" | "sources">} made
 * @returns {boolean} whether it was stored
 */
function keep(directory, files, made) {
  try {
    const names = files.map((file) => path.basename(file.path));
    for (const { path: file, contents } of files) if (!existsSync(file)) replace(file, contents);
    if (!writeNote(directory, { root, ...made, files: names })) return false;
    for (const name of readdirSync(directory)) {
      const file = path.join(directory, name);
      if (name === "note.json" || names.includes(name)) continue;
      const status = statSync(file, { throwIfNoEntry: false });
      if (status?.isFile() && status.mtimeMs < Date.now() - REPLACED_MS) rmSync(file, { force: true });
    }
    return true;
  } catch {
    return false; // the disk is full or read-only
  }
}

/** @param {string} directory @param {Note} note @returns {boolean} whether it could be written */
function writeNote(directory, note) {
  try {
    replace(path.join(directory, "note.json"), JSON.stringify(note));
    return true;
  } catch {
    return false;
  }
}

/** Replaces a file atomically. @param {string} file @param {string | Uint8Array} content */
function replace(file, content) {
  const temporary = `${file}.${randomUUID()}`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const [, started, entry, ...args] = process.argv;
if (workerData?.[TO_BUNDLE]) {
  parentPort?.postMessage(await bundle(workerData[TO_BUNDLE]));
} else if (started && realpathSync(started) === import.meta.filename) {
  if (entry === undefined) {
    process.stderr.write("Usage: node tools/launch.js ENTRY.ts [ARGUMENT...]\n");
    process.exit(2);
  }
  await launch(entry, args);
}
