/** Modules as the console stores them: validated and prepared. */
import { ModulePreparer, type ModulePreparerOptions } from "../../../device/wasm/module-preparer.js";
import { loadSandbox } from "../../../tools/sandbox.js";

const sandbox = await loadSandbox(["validator"]);

/** @throws {Fault} the reason for which the validator rejects the module */
export function prepared(module: Uint8Array, options: ModulePreparerOptions = {}): Uint8Array {
  const preparer = new ModulePreparer(sandbox, options);
  preparer.validate(module);
  preparer.endValidation();
  const pieces: Uint8Array[] = [];
  preparer.prepare(module, (piece) => pieces.push(piece.slice()));
  preparer.endPreparation((piece) => pieces.push(piece.slice()));
  return Buffer.concat(pieces);
}
