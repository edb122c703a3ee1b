/**
 * Builds an app from its directory: `manifest.json` beside `main.ts` (AssemblyScript) or `*.c` (C), and optionally
 * an icon in `icon_32.bmp`. The module contains its manifest, so that it can also be installed without a package.
 *
 * The build ends with the checks of consoles and hubs, so that errors show before the app is sent anywhere.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { checkPackage } from "../../hub/packages/check-package.js";
import { appendCustomSection } from "../../protocol/custom-section.js";
import { type Manifest, readManifest } from "../../protocol/manifest/manifest.js";
import { writePackage } from "../../protocol/package/package-writer.js";
import { writeEditorFiles } from "../new-app.js";
import { SdkError } from "../sdk-error.js";
import { APP_LIMIT_BYTES } from "../verify/verify-app.js";
import { compileAssemblyScript } from "./assemblyscript.js";
import { compileC } from "./c.js";

export interface BuiltApp {
  readonly manifest: Manifest;
  readonly module: Uint8Array;
  /** Bytes of the `.svcpkg`; the same sources give the same bytes. */
  readonly package: Uint8Array;
}

/**
 * Compiles, packs and checks an app.
 * @throws {SdkError} `source_missing`, `compiler_missing`, `compile_failed`; a `Fault` for an app that a console or the
 *   hub would reject
 */
export async function buildApp(directory: string): Promise<BuiltApp> {
  if (!existsSync(path.join(directory, "manifest.json")))
    throw new SdkError("source_missing", `Cannot build "${directory}": there is no manifest.json`, {
      advice: "Name the directory of an app; create one with `svc app new DIR --lang assemblyscript`.",
    });
  await writeEditorFiles(directory, await languageOf(directory));
  const app = await compileApp(directory);
  const packed = writePackage(app);
  const { manifest } = await checkPackage(packed, APP_LIMIT_BYTES);
  return { manifest, module: app.module, package: packed };
}

const ASSEMBLYSCRIPT_ENTRY = "main.ts";

interface CompiledApp {
  readonly name: string;
  /** Bytes of `manifest.json`. */
  readonly manifest: Uint8Array;
  readonly module: Uint8Array;
  readonly icon?: Uint8Array;
}

export async function languageOf(directory: string): Promise<"assemblyscript" | "c"> {
  if (existsSync(path.join(directory, ASSEMBLYSCRIPT_ENTRY))) return "assemblyscript";
  if ((await cSources(directory)).length > 0) return "c";
  throw new SdkError("source_missing", `Cannot find ${ASSEMBLYSCRIPT_ENTRY} or C files in "${directory}"`);
}

/** @returns sorted, for reproducible builds */
async function cSources(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(".c")).sort();
}

/**
 * Compiles an app without checking it.
 * @throws {SdkError} `compile_failed`, `compiler_missing`, `source_missing`; a `Fault` for an invalid manifest
 */
export async function compileApp(directory: string): Promise<CompiledApp> {
  const manifest = await readFile(path.join(directory, "manifest.json"));
  const { name } = readManifest(manifest);
  const icon = await readFile(path.join(directory, "icon_32.bmp")).catch(() => undefined);
  const module = appendCustomSection(await compileSources(directory), "svc_manifest", manifest);
  return { name, manifest, module, ...(icon ? { icon } : {}) };
}

async function compileSources(directory: string): Promise<Uint8Array> {
  if ((await languageOf(directory)) === "c") return compileC(directory, await cSources(directory));
  return compileAssemblyScript(directory, ASSEMBLYSCRIPT_ENTRY);
}
