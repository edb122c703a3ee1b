/** Faults that reject a module, with the reason and the offset of the byte. */
import type { UNSUPPORTED_FEATURES, UNSUPPORTED_FORMS } from "../../../device/wasm/module-verdict.js";
import { Fault } from "../../../protocol/fault.js";

export type UnsupportedFeature = (typeof UNSUPPORTED_FEATURES)[number];
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
