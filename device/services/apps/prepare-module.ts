/**
 * Turns a publisher's module into one that is safe for the interpreter (docs/spec/app-packages.md#validated): reads it
 * once to validate it, and once more to write it in the form in which it will run.
 */
import { hexadecimal } from "../../../protocol/hexadecimal.js";
import type { Manifest } from "../../../protocol/manifest/manifest.js";
import { importRules } from "../../wasm/import-rules.js";
import type { ModuleFacts } from "../../wasm/validation/facts.js";
import { FUNCTION_TABLE_BYTES } from "../../wasm/validation/limits.js";
import { ModuleRewriter } from "../../wasm/validation/module-rewriter.js";
import { ModuleValidator } from "../../wasm/validation/module-validator.js";
import { AppendedFile } from "../storage/appended-file.js";
import type { StagedApp } from "./app-store.js";
import type { InstallContext } from "./install-job.js";
import { SLICE_BYTES } from "./limits.js";
import { STAGING } from "./paths.js";
import { eachPiece } from "./pieces.js";

/**
 * @param path the module as it came
 * @throws {Fault} `module_invalid`, `module_unsupported`, `import_unknown`, `capability_missing`,
 *   `entry_missing`, `quota_exceeded`, `storage_full`
 */
export async function prepareModule(
  context: InstallContext,
  path: string,
  manifest: Manifest,
): Promise<StagedApp["module"]> {
  const functionTable = context.memory.allocate(FUNCTION_TABLE_BYTES);
  try {
    const facts = await validate(context, path, manifest, functionTable.bytes);
    const prepared = await write(context, path, facts);
    const { script } = facts;
    return {
      ...prepared,
      nestedBlocks: facts.deepestBlock,
      ...(script && { script: { offset: script.preparedOffset, byteLength: script.byteLength } }),
    };
  } finally {
    functionTable.close();
  }
}

/** @returns facts that hold while `functionTable` does */
async function validate(
  context: InstallContext,
  path: string,
  manifest: Manifest,
  functionTable: Uint8Array,
): Promise<ModuleFacts> {
  const validator = new ModuleValidator({
    memoryQuotaBytes: manifest.memory_quota,
    entry: manifest.entry,
    onImport: importRules(manifest.capabilities),
    functionTable,
  });
  await eachPiece(context, path, SLICE_BYTES, (piece) => validator.push(piece));
  return validator.end();
}

async function write(
  context: InstallContext,
  path: string,
  facts: ModuleFacts,
): Promise<Pick<StagedApp["module"], "path" | "byteLength" | "sha256">> {
  const digest = new context.Digest("SHA256");
  const file = new AppendedFile(context.files, `${STAGING}/prepared.wasm`);
  try {
    const rewriter = new ModuleRewriter(facts, (piece) => {
      digest.write(piece);
      file.write(piece);
    });
    await eachPiece(context, path, SLICE_BYTES, (piece) => rewriter.push(piece));
    rewriter.end();
    file.finish();
  } finally {
    file.close();
  }
  const sha256 = hexadecimal(new Uint8Array(digest.close()));
  return { path: file.path, byteLength: file.byteLength, sha256 };
}
