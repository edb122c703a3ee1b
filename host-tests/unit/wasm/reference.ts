/** The reference in TypeScript (`host-tests/reference/validation`), with which the sandboxed program is compared. */
import type { ModuleFacts } from "../../reference/validation/facts.js";
import { ModuleRewriter } from "../../reference/validation/module-rewriter.js";
import { ModuleValidator, type ModuleValidatorOptions } from "../../reference/validation/module-validator.js";

/** @throws {Fault} as the reference does */
export function referencePrepare(
  bytes: Uint8Array,
  options: ModuleValidatorOptions = {},
): { facts: Omit<ModuleFacts, "plan">; bytes: Uint8Array<ArrayBuffer> } {
  const validator = new ModuleValidator(options);
  validator.push(bytes);
  const { plan, ...facts } = validator.end();
  const prepared = new Uint8Array(facts.preparedByteLength);
  let length = 0;
  const rewriter = new ModuleRewriter({ ...facts, plan }, (piece) => {
    prepared.set(piece, length);
    length += piece.length;
  });
  rewriter.push(bytes);
  rewriter.end();
  return { facts, bytes: prepared };
}
