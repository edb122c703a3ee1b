/**
 * The home screen of a firmware: compiled from `device/home/app`, checked and prepared as the console does with an app that is
 * installed, so that the interpreter gets nothing else.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { importRules } from "../device/wasm/import-rules.js";
import { ModulePreparer } from "../device/wasm/module-preparer.js";
import { CAPABILITIES, FIRMWARE_CAPABILITY } from "../protocol/capabilities.js";
import { compileModule } from "./assemblyscript.js";
import { replaceFile } from "./files.js";
import { loadSandbox } from "./sandbox.js";

const root = path.join(import.meta.dirname, "..");
const directory = path.join(root, "device/home");

/** Directories that the module is made from. */
const SOURCES = ["device/home", "device/sandbox", "device/wasm", "sdk/assemblyscript"];

export interface PreparedHome {
  readonly module: Uint8Array;
  readonly nestedBlocks: number;
  readonly memoryQuotaBytes: number;
}

/** The present build, and the digest of what it was made from. */
const BUILT = path.join(root, "build/home.json");

/**
 * Builds it where the last build is out of date.
 * @throws {Error} with the compiler's message; a `Fault` for a module that a console would not take
 */
export async function buildHome(): Promise<PreparedHome> {
  const digest = await digestOfSources();
  const last = await readFile(BUILT, "utf8").then(JSON.parse, () => undefined);
  if (last?.digest === digest) return { ...last.home, module: Buffer.from(last.home.module, "base64") };
  const home = await compileHome();
  const module = Buffer.from(home.module).toString("base64");
  await replaceFile(BUILT, JSON.stringify({ digest, home: { ...home, module } }));
  return home;
}

async function digestOfSources(): Promise<string> {
  // The lock file names the versions of the compilers.
  const hash = createHash("sha256").update(await readFile(path.join(root, "package-lock.json")));
  hash.update(await readFile(import.meta.filename));
  for (const source of SOURCES) {
    const names = (await readdir(path.join(root, source), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
    for (const name of names.sort())
      hash
        .update(name)
        .update("\0")
        .update(await readFile(name));
  }
  return hash.digest("hex");
}

/**
 * It allocates nothing after its start, so there is no collector, and no stack of references, which halves the code.
 * @param source directory of the sources; default: those of the firmware
 * @throws {Error} with the compiler's message
 */
export async function compileHomeModule(
  source = path.join(directory, "app"),
  entry = "main.ts",
): Promise<Uint8Array> {
  const { module, said } = await compileModule(source, entry, STATIC);
  if (!module) throw new Error(`Cannot compile the home screen: ${said}`);
  process.stderr.write(said); // warnings
  return module;
}

const STATIC = ["--runtime", "stub", "--optimizeLevel", "2", "--shrinkLevel", "2"];

async function compileHome(): Promise<PreparedHome> {
  const { memory_quota: memoryQuotaBytes } = JSON.parse(
    await readFile(path.join(directory, "manifest.json"), "utf8"),
  ) as { memory_quota: number };
  const module = await compileHomeModule();
  const preparer = new ModulePreparer(await loadSandbox(["validator"]), {
    memoryQuotaBytes,
    entry: "main",
    onImport: importRules([...CAPABILITIES.map(({ name }) => name), FIRMWARE_CAPABILITY]),
  });
  try {
    preparer.validate(module);
    const { deepestBlock } = preparer.endValidation();
    const pieces: Uint8Array[] = [];
    const keep = (piece: Uint8Array) => void pieces.push(Uint8Array.from(piece));
    preparer.prepare(module, keep);
    preparer.endPreparation(keep);
    return { module: Buffer.concat(pieces), nestedBlocks: deepestBlock, memoryQuotaBytes };
  } finally {
    preparer.close();
  }
}
