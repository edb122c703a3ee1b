/**
 * Creates an app from the template of its language, and writes the files by which editors find the SDK.
 */
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { APP_NAME_RULE, isAppName } from "../protocol/manifest/app-name.js";
import { explainFailure, makeDirectory, replaceFile } from "../tools/files.js";
import { C_FLAGS, CPLUSPLUS_FLAGS } from "./builder/c.js";
import { RUST_EDITION, SVC_CRATE } from "./builder/rust.js";
import { writeZigModules } from "./builder/zig.js";
import type { Language } from "./languages.js";
import { SdkError } from "./sdk-error.js";

const TEMPLATES = path.join(import.meta.dirname, "templates");
/** Placeholder for the app's name in the templates. */
const NAME_MARK = "{{name}}";
/** Copied unchanged. */
const BINARY_SUFFIX = ".bmp";

/**
 * @param directory created if missing; its last part becomes the app's name
 * @returns the app's name and source files
 * @throws {SdkError} `name_invalid`, `directory_not_empty`
 */
export async function newApp(
  directory: string,
  language: Language,
): Promise<{ name: string; files: readonly string[] }> {
  const name = path.basename(path.resolve(directory));
  if (!isAppName(name))
    throw new SdkError("name_invalid", `Cannot create an app named "${name}" in "${directory}"`, {
      advice: `An app is named after its directory: ${APP_NAME_RULE}.`,
    });
  await requireEmpty(directory);
  const template = path.join(TEMPLATES, language);
  const files = (await readdir(template)).sort();
  await explainFailure(`write to "${directory}"`, async () => {
    await makeDirectory(directory);
    for (const file of files) await copy(path.join(template, file), path.join(directory, file), name);
    await writeEditorFiles(directory, language);
  });
  return { name, files };
}

async function requireEmpty(directory: string): Promise<void> {
  const entries = await explainFailure(`read "${directory}"`, () =>
    readdir(directory).catch((error) => {
      if (error.code === "ENOENT") return [];
      throw error;
    }),
  );
  if (entries.length === 0) return;
  throw new SdkError("directory_not_empty", `Cannot create an app in "${directory}": it is not empty`, {
    advice: "Choose a directory that does not exist yet.",
  });
}

async function copy(from: string, to: string, name: string): Promise<void> {
  if (from.endsWith(BINARY_SUFFIX)) await cp(from, to);
  else await writeFile(to, (await readFile(from, "utf8")).replaceAll(NAME_MARK, name));
}

/** The app's tsconfig.json extends this file. */
const TYPESCRIPT_FILE = ".svc/tsconfig.json";
/** clangd reads this file. */
const C_FILE = "compile_flags.txt";
/** rust-analyzer reads this file. */
const RUST_FILE = "rust-project.json";

/**
 * Tells editors where the types of `"svc"`, `svc.h` or the crate `svc` are. The paths are valid on this machine only, so the file is not
 * part of the app's sources; every build rewrites it.
 * @param directory of the app
 */
export async function writeEditorFiles(directory: string, language: Language): Promise<void> {
  if (language === "zig") return writeZigModules(directory);
  const file = EDITOR_FILES[language];
  if (file) await replaceFile(path.join(directory, file.name), file.text());
}

const EDITOR_FILES: Readonly<Partial<Record<Language, { readonly name: string; text(): string }>>> = {
  assemblyscript: { name: TYPESCRIPT_FILE, text: typescriptSettings },
  c: { name: C_FILE, text: () => `${C_FLAGS.join("\n")}\n` },
  cpp: { name: C_FILE, text: () => `${CPLUSPLUS_FLAGS.join("\n")}\n` },
  rust: { name: RUST_FILE, text: rustSettings },
};

function rustSettings(): string {
  const crate = { edition: RUST_EDITION, cfg: [], target: "wasm32-unknown-unknown" };
  const settings = {
    sysroot_src: "/usr/lib/rustlib/src/rust/library",
    crates: [
      { ...crate, root_module: SVC_CRATE, deps: [], display_name: "svc" },
      { ...crate, root_module: "main.rs", deps: [{ crate: 0, name: "svc" }], display_name: "app" },
    ],
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

function typescriptSettings(): string {
  const settings = {
    extends: path.join(import.meta.dirname, "../node_modules/assemblyscript/std/assembly.json"),
    compilerOptions: {
      noEmit: true,
      paths: { svc: [path.join(import.meta.dirname, "assemblyscript/svc.ts")] },
    },
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}
