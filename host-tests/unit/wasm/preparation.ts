/** Validates and prepares a module in memory, which the installer does in slices. */
import type { ModuleFacts } from "../../../device/wasm/module-facts.js";
import { ModulePreparer, type ModulePreparerOptions } from "../../../device/wasm/module-preparer.js";
import { Fault } from "../../../protocol/fault.js";
import { loadSandbox } from "../../../tools/sandbox.js";

const sandbox = await loadSandbox(["validator"]);

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
  options: ModulePreparerOptions = {},
  cuts: readonly number[] = [],
): ModuleFacts {
  const preparer = new ModulePreparer(sandbox, options);
  inPieces(bytes, cuts, (piece) => preparer.validate(piece));
  return preparer.endValidation();
}

export interface Prepared {
  readonly facts: ModuleFacts;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** @throws {Fault} as the validator does */
export function prepare(
  bytes: Uint8Array,
  options: ModulePreparerOptions = {},
  cuts: readonly number[] = [],
): Prepared {
  const preparer = new ModulePreparer(sandbox, options);
  inPieces(bytes, cuts, (piece) => preparer.validate(piece));
  const facts = preparer.endValidation();
  const prepared = new Uint8Array(facts.preparedByteLength);
  let length = 0;
  const keep = (piece: Uint8Array) => {
    prepared.set(piece, length);
    length += piece.length;
  };
  inPieces(bytes, cuts, (piece) => preparer.prepare(piece, keep));
  preparer.endPreparation(keep);
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
