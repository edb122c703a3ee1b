/** Faults that reject a module, with the reason and the offset of the byte. */
import { Fault } from "../../../protocol/fault.js";

/** Parts of WebAssembly that the engine does not implement: possible values of `feature` in a fault's details. */
export const UNSUPPORTED_FEATURES = Object.freeze([
  "bulk memory",
  "exception handling",
  "extended constant expressions",
  "function references",
  "garbage collection",
  "memory64",
  "multiple memories",
  "reference types",
  "SIMD",
  "tail calls",
  "threads",
] as const);
export type UnsupportedFeature = (typeof UNSUPPORTED_FEATURES)[number];

/** Valid encodings and constructs that the engine misreads. */
export const UNSUPPORTED_FORMS = Object.freeze([
  "long block type",
  "long opcode",
  "element segment outside the table",
] as const);
export type UnsupportedForm = (typeof UNSUPPORTED_FORMS)[number];

/** Creates the fault for a malformed or invalid module. @param offset byte of the module, from 0 */
export function invalid(offset: number, reason: string): Fault {
  return new Fault("module_invalid", `Invalid module at byte ${offset}: ${reason}`, { details: { offset } });
}

/** Creates the fault for a module that uses a feature or form that the engine does not support. */
export function unsupported(
  offset: number,
  feature: UnsupportedFeature | UnsupportedForm,
  reason: string,
): Fault {
  return new Fault("module_unsupported", `Unsupported module at byte ${offset}: ${reason} (${feature})`, {
    details: { offset, feature },
  });
}

/** Creates the fault for a module over one of our limits. @param limit name of the constant in `limits.ts` */
export function beyondLimit(offset: number, limit: string, reason: string): Fault {
  return new Fault("module_unsupported", `Unsupported module at byte ${offset}: ${reason}`, {
    details: { offset, limit },
  });
}
