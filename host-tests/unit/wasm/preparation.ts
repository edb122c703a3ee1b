/** Runs validator and rewriter over a module in memory, which the installer does in slices. */
import type { ModuleFacts } from "../../../device/wasm/validation/facts.js";
import { ModuleRewriter } from "../../../device/wasm/validation/module-rewriter.js";
import {
  ModuleValidator,
  type ModuleValidatorOptions,
} from "../../../device/wasm/validation/module-validator.js";
import { Fault } from "../../../protocol/fault.js";

/** Calls `take` for pieces of `bytes` that end at `cuts`. */
export function inPieces(
  bytes: Uint8Array,
  cuts: readonly number[],
  take: (piece: Uint8Array) => void,
): void {
  let start = 0;
  for (const end of [...cuts, bytes.length].sort((a, b) => a - b)) {
    take(bytes.subarray(start, Math.max(start, end)));
    start = Math.max(start, end);
  }
}

export function validate(
  bytes: Uint8Array,
  options: ModuleValidatorOptions = {},
  cuts: readonly number[] = [],
): ModuleFacts {
  const validator = new ModuleValidator(options);
  inPieces(bytes, cuts, (piece) => validator.push(piece));
  return validator.end();
}

export interface Prepared {
  readonly facts: ModuleFacts;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** @throws {Fault} as the validator does */
export function prepare(
  bytes: Uint8Array,
  options: ModuleValidatorOptions = {},
  cuts: readonly number[] = [],
): Prepared {
  const facts = validate(bytes, options, cuts);
  const prepared = new Uint8Array(facts.preparedByteLength);
  let length = 0;
  const rewriter = new ModuleRewriter(facts, (piece) => {
    prepared.set(piece, length);
    length += piece.length;
  });
  inPieces(bytes, cuts, (piece) => rewriter.push(piece));
  rewriter.end();
  return { facts, bytes: prepared };
}

/** The fault that `attempt` throws. @throws {Error} if it throws none, or another error */
export function faultOf(attempt: () => unknown): Fault {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("There was no fault");
}
