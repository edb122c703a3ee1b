/** Packages of script apps, for tests: the text of a script with a manifest, unchecked. */
import { appendCustomSection } from "../../protocol/custom-section.js";
import { readManifest } from "../../protocol/manifest/manifest.js";
import { writePackage } from "../../protocol/package/package-writer.js";
import { buildRuntime } from "../../sdk/python/runtime.js";
import { scriptModule } from "../../sdk/python/script-module.js";

export interface PythonApp {
  readonly name?: string;
  readonly script: string;
  readonly capabilities?: readonly string[];
  readonly memoryQuotaBytes?: number;
}

/** The first one in a checkout builds the runtime, which takes half a minute. */
export const RUNTIME_TIMEOUT_MS = 300_000;

export async function pythonPackage({
  name = "script",
  script,
  capabilities = [],
  memoryQuotaBytes = 327_680,
}: PythonApp): Promise<Uint8Array> {
  const fields = { name, version: "1.0.0", capabilities, memory_quota: memoryQuotaBytes };
  const manifest = Buffer.from(JSON.stringify(fields));
  const module = scriptModule(await buildRuntime(), readManifest(manifest), Buffer.from(script));
  return writePackage({ manifest, module: appendCustomSection(module, "svc_manifest", manifest) });
}
