/** How a module is refused: why, and at which byte. */
import { Fault } from "../../../protocol/fault.js";

/** Parts of WebAssembly that the engine does not implement. `feature` of a refusal is one of these or a limit. */
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

/** Encodings and constructs that the engine reads wrongly although they are valid. */
export const UNSUPPORTED_FORMS = Object.freeze([
  "long block type",
  "long opcode",
  "element segment outside the table",
] as const);
export type UnsupportedForm = (typeof UNSUPPORTED_FORMS)[number];

/** The module is malformed or invalid. @param offset byte of the module, from 0 */
export function invalid(offset: number, reason: string): Fault {
  return new Fault("module_invalid", `Invalid module at byte ${offset}: ${reason}`, { details: { offset } });
}

/** The module may be valid but is nothing that the engine runs. */
export function unsupported(
  offset: number,
  feature: UnsupportedFeature | UnsupportedForm,
  reason: string,
): Fault {
  return new Fault("module_unsupported", `Unsupported module at byte ${offset}: ${reason} (${feature})`, {
    details: { offset, feature },
  });
}

/** The module is beyond one of our limits. @param limit name of the constant in `limits.ts` */
export function beyondLimit(offset: number, limit: string, reason: string): Fault {
  return new Fault("module_unsupported", `Unsupported module at byte ${offset}: ${reason}`, {
    details: { offset, limit },
  });
}
