/** Modules as the console stores them: validated and prepared. */
import { ModuleRewriter } from "../../../device/wasm/validation/module-rewriter.js";
import {
  ModuleValidator,
  type ModuleValidatorOptions,
} from "../../../device/wasm/validation/module-validator.js";

/** @throws {Fault} what the validator has against the module */
export function prepared(module: Uint8Array, options: ModuleValidatorOptions = {}): Uint8Array {
  const validator = new ModuleValidator(options);
  validator.push(module);
  const pieces: Uint8Array[] = [];
  const rewriter = new ModuleRewriter(validator.end(), (piece) => pieces.push(piece.slice()));
  rewriter.push(module);
  rewriter.end();
  return Buffer.concat(pieces);
}
