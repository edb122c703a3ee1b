/**
 * Builds, packs and signs the example apps.
 *
 *     node sdk/build-apps.js [--key PEM] [--out DIR] [APP...]
 *
 * For each app it writes NAME.svcpkg, the bare NAME.wasm, and the signature of each in a file beside it
 * (`.sig`), and prints a line. Without `--key` it signs with the development key that `npm start` trusts,
 * and the firmware that `npm run moddable` builds for boards.
 */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { installSystemPackages } from "../tools/system-packages.js";
import { DEVELOPMENT_KEYS, makeDevelopmentKeys } from "../tools/trusted-keys.js";
import { hasClang } from "./builder/c.js";
import { compileApp, languageOf } from "./builder/compile-app.js";
import { writePackage } from "./builder/protocol.js";
import { readSigningKey, signatureOf } from "./builder/signature.js";

const root = path.dirname(import.meta.dirname);
const examples = path.join(import.meta.dirname, "examples");

/**
 * @typedef {object} BuiltApp
 * @property {string} name
 * @property {string} package path of the package
 * @property {string} module path of the bare module
 * @property {number} bytes of the package
 */
/** @typedef {{ readonly name: string, readonly reason: string }} SkippedApp */

/**
 * @param {object} options
 * @param {string} [options.out] directory for the files; made where it is missing
 * @param {string} [options.key] PEM of the key to sign with; left out: the development key, which is made
 *   where it is missing
 * @param {readonly string[]} [options.only] names of apps; left out: all
 * @returns {Promise<{ built: BuiltApp[], skipped: SkippedApp[] }>}
 * @throws {Error} for a name that is no example, a key that is none, and with what a compiler said
 */
export async function buildApps({ out = path.join(root, "build/apps"), key, only } = {}) {
  const names = await findExamples(only);
  const signingKey = readSigningKey(key ?? developmentKey());
  await mkdir(out, { recursive: true });
  /** @type {BuiltApp[]} */
  const built = [];
  /** @type {SkippedApp[]} */
  const skipped = [];
  for (const name of names) {
    const directory = path.join(examples, name);
    if ((await languageOf(directory)) === "c" && !hasClang())
      skipped.push({ name, reason: "it is written in C, and clang and lld are not there" });
    else built.push(await buildApp(directory, out, signingKey));
  }
  return { built, skipped };
}

/** @param {readonly string[] | undefined} only @returns {Promise<readonly string[]>} */
async function findExamples(only) {
  const entries = await readdir(examples, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`Cannot build "${unknown}": the examples are ${names.sort().join(", ")}`);
  return only ?? names.sort();
}

function developmentKey() {
  makeDevelopmentKeys(DEVELOPMENT_KEYS);
  return path.join(DEVELOPMENT_KEYS, "publisher.pem");
}

/**
 * @param {string} directory of the app
 * @param {string} out
 * @param {import("node:crypto").KeyObject} key
 * @returns {Promise<BuiltApp>}
 */
async function buildApp(directory, out, key) {
  const app = await compileApp(directory);
  const packaged = writePackage(app);
  const file = path.join(out, app.name);
  await writeSigned(`${file}.wasm`, app.module, key);
  await writeSigned(`${file}.svcpkg`, packaged, key);
  return { name: app.name, package: `${file}.svcpkg`, module: `${file}.wasm`, bytes: packaged.length };
}

/** @param {string} file @param {Uint8Array} bytes @param {import("node:crypto").KeyObject} key */
async function writeSigned(file, bytes, key) {
  await writeFile(file, bytes);
  await writeFile(`${file}.sig`, signatureOf(bytes, key));
}

/** @param {unknown} error @param {number} status @returns {never} */
function fail(error, status) {
  process.stderr.write(`build-apps: ${error instanceof Error ? error.message : error}\n`);
  process.exit(status);
}

function readArguments() {
  try {
    return parseArgs({
      options: { key: { type: "string" }, out: { type: "string" } },
      allowPositionals: true,
    });
  } catch (error) {
    return fail(error, 2);
  }
}

async function main() {
  const { values, positionals } = readArguments();
  installSystemPackages("apps");
  const only = positionals.length > 0 ? { only: positionals } : {};
  const { built, skipped } = await buildApps({ ...values, ...only }).catch((error) => fail(error, 1));
  for (const app of built)
    process.stdout.write(`${app.name} ${app.bytes} ${path.relative("", app.package)}\n`);
  for (const { name, reason } of skipped) process.stderr.write(`build-apps: skipped ${name}: ${reason}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
