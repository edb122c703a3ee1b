/**
 * An app's directory, compiled: `manifest.json` beside `main.ts` (AssemblyScript) or `*.c` (C), and the icon
 * `icon_32.bmp` where there is one. The module carries its manifest, so that it can also be installed bare.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { appendCustomSection } from "../../protocol/custom-section.js";
import { readManifest } from "../../protocol/manifest/manifest.js";
import { SdkError } from "../sdk-error.js";
import { compileAssemblyScript } from "./assemblyscript.js";
import { compileC } from "./c.js";

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

/** @returns in an order that is the same everywhere */
async function cSources(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith(".c")).sort();
}

/**
 * @throws {SdkError} `compile_failed`, `compiler_missing`, `source_missing`; a `Fault` for a manifest that consoles refuse
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
