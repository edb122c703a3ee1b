/**
 * Builds, packs and signs the example apps.
 *
 *     npm run build:apps -- [--key PEM] [--out DIR] [APP...]
 *
 * For each app it writes NAME.svcpkg and the bare NAME.wasm, each with its signature in a `.sig` file, and prints a
 * line. The default key is the development key, which `npm start` and the firmware of `npm run moddable` trust.
 */
import type { KeyObject } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { writePackage } from "../protocol/package/package-writer.js";
import { installSystemPackages } from "../tools/system-packages.js";
import { DEVELOPMENT_KEYS, makeDevelopmentKeys } from "../tools/trusted-keys.js";
import { compileApp, languageOf } from "./builder/build-app.js";
import { hasClang } from "./builder/c.js";
import { hasRust } from "./builder/rust.js";
import type { Language } from "./languages.js";
import { readSigningKey, signatureOf } from "./publisher-keys.js";

const root = path.dirname(import.meta.dirname);
const examples = path.join(import.meta.dirname, "examples");

interface BuiltApp {
  readonly name: string;
  /** Path of the package. */
  readonly package: string;
  /** Path of the bare module. */
  readonly module: string;
  /** Size of the package. */
  readonly bytes: number;
}
type SkippedApp = { readonly name: string; readonly reason: string };

/**
 * @param options.out directory for the files; created if missing
 * @param options.key PEM of the signing key; default: the development key, created if missing
 * @param options.only names of apps; default: all
 * @throws {Error} for an unknown example or an invalid key, and with a compiler's messages
 */
export async function buildApps({
  out = path.join(root, "build/apps"),
  key,
  only,
}: {
  readonly out?: string;
  readonly key?: string;
  readonly only?: readonly string[];
} = {}): Promise<{ built: BuiltApp[]; skipped: SkippedApp[] }> {
  const names = await findExamples(only);
  const signingKey = readSigningKey(key ?? developmentKey());
  await mkdir(out, { recursive: true });
  const built: BuiltApp[] = [];
  const skipped: SkippedApp[] = [];
  for (const name of names) {
    const directory = path.join(examples, name);
    const reason = reasonToSkip(await languageOf(directory));
    if (reason !== undefined) skipped.push({ name, reason });
    else built.push(await buildApp(directory, out, signingKey));
  }
  return { built, skipped };
}

function reasonToSkip(language: Language | "module"): string | undefined {
  if ((language === "c" || language === "cpp") && !hasClang())
    return `it is written in ${language === "c" ? "C" : "C++"}, and clang or lld is missing`;
  if (language === "rust" && !hasRust())
    return "it is written in Rust, and rustc, libstd-rust-dev-wasm32 or lld is missing";
  return undefined;
}

async function findExamples(only: readonly string[] | undefined): Promise<readonly string[]> {
  const entries = await readdir(examples, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`Cannot build "${unknown}": the examples are ${names.sort().join(", ")}`);
  return only ?? names.sort();
}

function developmentKey(): string {
  makeDevelopmentKeys(DEVELOPMENT_KEYS);
  return path.join(DEVELOPMENT_KEYS, "publisher.pem");
}

/** @param directory of the app */
async function buildApp(directory: string, out: string, key: KeyObject): Promise<BuiltApp> {
  const app = await compileApp(directory);
  const packaged = writePackage(app);
  const file = path.join(out, app.name);
  await writeSigned(`${file}.wasm`, app.module, key);
  await writeSigned(`${file}.svcpkg`, packaged, key);
  return { name: app.name, package: `${file}.svcpkg`, module: `${file}.wasm`, bytes: packaged.length };
}

async function writeSigned(file: string, bytes: Uint8Array, key: KeyObject): Promise<void> {
  await writeFile(file, bytes);
  await writeFile(`${file}.sig`, signatureOf(bytes, key));
}

function fail(error: unknown, status: number): never {
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

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  installSystemPackages("apps");
  const only = positionals.length > 0 ? { only: positionals } : {};
  const { built, skipped } = await buildApps({ ...values, ...only }).catch((error) => fail(error, 1));
  for (const app of built)
    process.stdout.write(`${app.name} ${app.bytes} ${path.relative("", app.package)}\n`);
  for (const { name, reason } of skipped) process.stderr.write(`build-apps: skipped ${name}: ${reason}\n`);
}

if (process.argv[1] === import.meta.filename) await main();
