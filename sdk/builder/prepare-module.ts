/** An app's module as a console stores it (docs/spec/app-packages.md#module-checked). */
import { importRules } from "../../device/wasm/import-rules.js";
import type { ModuleFacts } from "../../device/wasm/module-facts.js";
import { ModulePreparer } from "../../device/wasm/module-preparer.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { loadSandbox } from "../../tools/sandbox.js";

/** As a console does before it installs the app. @throws a `Fault` for a module that a console would reject */
export async function prepareModule(
  module: Uint8Array,
  { entry, memory_quota, capabilities }: Pick<Manifest, "entry" | "memory_quota" | "capabilities">,
): Promise<{ facts: ModuleFacts; prepared: Uint8Array }> {
  const preparer = new ModulePreparer(await loadSandbox(["validator"]), {
    memoryQuotaBytes: memory_quota,
    entry,
    onImport: importRules(capabilities),
  });
  try {
    preparer.validate(module);
    const facts = preparer.endValidation();
    const pieces: Uint8Array[] = [];
    const keep = (piece: Uint8Array) => pieces.push(piece.slice());
    preparer.prepare(module, keep);
    preparer.endPreparation(keep);
    return { facts, prepared: Buffer.concat(pieces) };
  } finally {
    preparer.close();
  }
}
