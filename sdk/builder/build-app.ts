/**
 * Builds an app from its directory: `manifest.json` beside `main.ts` (AssemblyScript), `main.py` (Python), `main.rs` (Rust),
 * `main.zig` (Zig), `*.cpp` (C++), `*.c` (C) or a module in `app.wasm` that another toolchain has made, and optionally an icon in
 * `icon_32.bmp`. The module contains its manifest, so that it can also be installed without a package.
 *
 * The build ends with the checks of consoles and hubs, so that errors show before the app is sent anywhere.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { checkPackage } from "../../hub/packages/check-package.js";
import { appendCustomSection } from "../../protocol/custom-section.js";
import type { VariantArchitecture } from "../../protocol/file-kind.js";
import { type Manifest, readManifest } from "../../protocol/manifest/manifest.js";
import { withoutCustomSections } from "../../protocol/module-file.js";
import { type PackageContents, writePackage } from "../../protocol/package/package-writer.js";
import type { Language } from "../languages.js";
import { writeEditorFiles } from "../new-app.js";
import { CompileError, SdkError } from "../sdk-error.js";
import { APP_LIMIT_BYTES } from "../verify/verify-app.js";
import { compileAssemblyScript } from "./assemblyscript.js";
import { C_FAMILY_FILE, compileC, isCplusplus, PAGE_BYTES } from "./c.js";
import { appLines } from "./lines/app-lines.js";
import { dwarfLines } from "./lines/dwarf-lines.js";
import type { LineRow } from "./lines/line-row.js";
import { sourceMapLines } from "./lines/source-map-lines.js";
import { imageManifest } from "./native/image-manifest.js";
import type { Optimization } from "./optimization.js";
import { prepareModule } from "./prepare-module.js";
import { compilePython } from "./python.js";
import { readyModule } from "./ready-module.js";
import { compileRust } from "./rust.js";
import { compileZig } from "./zig.js";

/** The app's module as machine code, by architecture. */
export type NativeImages = Readonly<Partial<Record<VariantArchitecture, Uint8Array>>>;

export interface BuiltApp {
  readonly manifest: Manifest;
  readonly module: Uint8Array;
  readonly images: NativeImages;
  /** Bytes of the `.svcpkg`; the same sources give the same bytes. */
  readonly package: Uint8Array;
  /**
   * Content of the file beside the package that has the lines of the sources; `undefined` where none are known, and for
   * machine code alone.
   */
  readonly lines: string | undefined;
}

/** Compiles a module ahead of time, here or elsewhere. @returns the container (docs/spec/aot.md#container) */
export type ImageCompilation = (
  app: Pick<CompiledApp, "module" | "manifest">,
  architecture: VariantArchitecture,
) => Promise<Uint8Array>;

export interface BuildOptions {
  /** For which the package has the module as machine code, too (docs/spec/aot.md). */
  readonly architectures?: readonly VariantArchitecture[];
  /** By default, by the C compiler of this computer. */
  readonly compileImage?: ImageCompilation | undefined;
  /** The architecture whose machine code the package has in place of the module (docs/spec/aot.md#alone). */
  readonly imageAlone?: VariantArchitecture | undefined;
  /** By default, for size. Nothing changes for Zig, whose safe mode is for speed, Python and modules of other toolchains. */
  readonly optimization?: Optimization | undefined;
}

/**
 * Compiles, packs and checks an app.
 * @throws {SdkError} `source_missing`, `compiler_missing`, `compile_failed`, also for an app in Python and an architecture; a `Fault` for an app that a console or the
 *   hub would reject, and for machine code alone of another architecture than the manifest's
 */
export async function buildApp(
  directory: string,
  {
    imageAlone,
    architectures = imageAlone ? [imageAlone] : [],
    compileImage = compileHere,
    optimization,
  }: BuildOptions = {},
): Promise<BuiltApp> {
  if (!existsSync(path.join(directory, "manifest.json")))
    throw new SdkError("source_missing", `Cannot build "${directory}": there is no manifest.json`, {
      advice: "Name the directory of an app; create one with `svc app new DIR --lang assemblyscript`.",
    });
  const language = await languageOf(directory);
  if (language === "python" && architectures.length > 0) throw scriptRefusal();
  if (language !== "module") await writeEditorFiles(directory, language);
  if (imageAlone) imageManifest(await readManifestFile(directory), imageAlone); // before a minute of compiling
  const app = await compileApp(directory, optimization);
  const images = await compileImages(app, architectures, compileImage);
  const packed = writePackage(imageAlone ? aloneIn(app, images, imageAlone) : { ...app, variants: images });
  const { manifest } = await checkPackage(packed, APP_LIMIT_BYTES);
  const lines = imageAlone ? undefined : await linesOf(app, manifest);
  return { manifest, module: app.module, images, package: packed, lines };
}

function readManifestFile(directory: string): Promise<Uint8Array> {
  return readFile(path.join(directory, "manifest.json"));
}

/** What a package of machine code alone has of the app. */
function aloneIn(
  { manifest, icon }: CompiledApp,
  images: NativeImages,
  architecture: VariantArchitecture,
): PackageContents {
  const image = images[architecture];
  if (!image) throw new RangeError(`There is no image for ${architecture}`);
  return { manifest: imageManifest(manifest, architecture), module: image, ...(icon && { icon }) };
}

/** Before a minute of compiling: the image of MicroPython has 1.5 MB, and still 1.3 MB if it is compiled for size. */
function scriptRefusal(): CompileError {
  return new CompileError(
    "an app in Python ahead of time",
    "MicroPython's machine code is larger than the 1 MiB that consoles take; without --aot, they interpret the app",
  );
}

async function linesOf({ module, rows }: CompiledApp, manifest: Manifest): Promise<string | undefined> {
  if (rows.length === 0) return undefined;
  const { prepared } = await prepareModule(module, manifest);
  return appLines(manifest, module, prepared, rows);
}

async function compileImages(
  app: CompiledApp,
  architectures: readonly VariantArchitecture[],
  compileImage: ImageCompilation,
): Promise<NativeImages> {
  const images: Partial<Record<VariantArchitecture, Uint8Array>> = {};
  for (const architecture of architectures) images[architecture] = await compileImage(app, architecture);
  return images;
}

const compileHere: ImageCompilation = async ({ module, manifest }, architecture) => {
  const { buildNativeImage } = await import("./native/build-image.js"); // only here: it loads the validator
  return buildNativeImage(module, readManifest(manifest), architecture);
};

/** Entries by which the language of an app is known; C and C++ by the suffixes of their files. */
const ENTRIES = Object.freeze({
  assemblyscript: "main.ts",
  python: "main.py",
  rust: "main.rs",
  zig: "main.zig",
});
/** A module of another toolchain. */
const READY_MODULE = "app.wasm";

interface CompiledApp {
  readonly name: string;
  /** Bytes of `manifest.json`. */
  readonly manifest: Uint8Array;
  readonly module: Uint8Array;
  readonly icon?: Uint8Array;
  /** Lines of the sources, as far as the compiler tells them. */
  readonly rows: readonly LineRow[];
}

/** `module`: there are no sources, but a module that is ready. */
export async function languageOf(directory: string): Promise<Language | "module"> {
  const has = (name: string) => existsSync(path.join(directory, name));
  for (const language of ["assemblyscript", "python", "rust", "zig"] as const)
    if (has(ENTRIES[language])) return language;
  const sources = await cSources(directory);
  if (sources.length > 0) return sources.some(isCplusplus) ? "cpp" : "c";
  if (has(READY_MODULE)) return "module";
  throw new SdkError(
    "source_missing",
    `Cannot find ${Object.values(ENTRIES).join(", ")}, C or C++ files, or ${READY_MODULE} in "${directory}"`,
  );
}

/** @returns sorted, for reproducible builds */
async function cSources(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => C_FAMILY_FILE.test(name)).sort();
}

/**
 * Compiles an app without checking it.
 * @throws {SdkError} `compile_failed`, `compiler_missing`, `source_missing`; a `Fault` for an invalid manifest
 */
export async function compileApp(
  directory: string,
  optimization: Optimization = "size",
): Promise<CompiledApp> {
  const manifest = await readManifestFile(directory);
  const fields = readManifest(manifest);
  const icon = await readFile(path.join(directory, "icon_32.bmp")).catch(() => undefined);
  const { module: compiled, rows = dwarfLines(compiled) } = await compileSources(
    directory,
    fields,
    optimization,
  );
  const lean = withoutCustomSections(compiled, isForDebuggers);
  const module = appendCustomSection(lean, "svc_manifest", manifest);
  return { name: fields.name, manifest, module, rows, ...(icon ? { icon } : {}) };
}

/** Debuggers know lines by what these sections have, many times as much as there is code; no console reads it. */
function isForDebuggers(section: string): boolean {
  return section.startsWith(".debug_") || section === "sourceMappingURL" || section === "external_debug_info";
}

/** A compiled app has all the memory that its manifest asks for, from its start. `rows`: unless the module has a line table. */
async function compileSources(
  directory: string,
  manifest: Manifest,
  optimization: Optimization,
): Promise<{ readonly module: Uint8Array; readonly rows?: readonly LineRow[] }> {
  const pages = Math.floor(manifest.memory_quota / PAGE_BYTES);
  const language = await languageOf(directory);
  switch (language) {
    case "c":
    case "cpp":
      return { module: await compileC(directory, await cSources(directory), pages, optimization) };
    case "python":
      return { module: await compilePython(directory, ENTRIES.python, manifest) };
    case "rust":
      return { module: await compileRust(directory, ENTRIES.rust, pages, optimization) };
    case "zig":
      return compileZig(directory, ENTRIES.zig, pages);
    case "assemblyscript": {
      const entry = ENTRIES.assemblyscript;
      const { module, sourceMap } = await compileAssemblyScript(directory, entry, pages, optimization);
      return { module, rows: sourceMap === undefined ? [] : sourceMapLines(module, sourceMap) };
    }
    case "module":
      return readyModule(path.join(directory, READY_MODULE));
    default:
      return language satisfies never;
  }
}
