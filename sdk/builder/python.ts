/** Builds apps in Python: `main.py` with the runtime that executes it (docs/adr/0040-scripts-run-on-micropython.md). */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../../protocol/fault.js";
import { APP_MEMORY_LIMIT_BYTES, type Manifest, requireQuota } from "../../protocol/manifest/manifest.js";
import { buildRuntime } from "../python/runtime.js";
import { forbiddenTo, scriptModule } from "../python/script-module.js";
import { findSyntaxError } from "../python/syntax-check.js";
import { CompileError } from "../sdk-error.js";
import { APP_LIMIT_BYTES } from "../verify/verify-app.js";

/**
 * @param directory of the app
 * @param entry file name of the script in the directory
 * @returns the module, with the script in it
 * @throws {CompileError} for a syntax error; a `Fault` for a quota that is too small, and for a function whose capability
 *   the manifest does not declare
 */
export async function compilePython(
  directory: string,
  entry: string,
  manifest: Manifest,
): Promise<Uint8Array> {
  requireQuota(manifest, { isScript: true });
  const script = await readFile(path.join(directory, entry));
  requireCapabilities(script.toString(), manifest);
  const runtime = await buildRuntime();
  const module = scriptModule(runtime, manifest, script);
  if (module.length > APP_LIMIT_BYTES) return module; // refused by whoever checks it
  const roomy = scriptModule(runtime, { ...manifest, memory_quota: APP_MEMORY_LIMIT_BYTES }, script);
  const wrong = await findSyntaxError(roomy, script);
  if (wrong !== undefined) throw new CompileError(entry, wrong);
  return module;
}

/**
 * The module imports only what the manifest permits, so this refuses what a console would refuse if it imported all that
 * the script names. A script that reaches a function in another way gets `SVC_ERROR_NOT_PERMITTED`.
 */
function requireCapabilities(script: string, manifest: Manifest): void {
  for (const { name, capability } of forbiddenTo(manifest)) {
    if (!new RegExp(`^[^#\n]*\\bsvc\\.${name}\\b`, "m").test(script)) continue;
    throw new Fault(
      "capability_missing",
      `Cannot import "svc.${name}": the manifest does not declare "${capability}"`,
    );
  }
}
