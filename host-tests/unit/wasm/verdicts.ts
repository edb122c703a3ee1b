/**
 * What it means that our verdict agrees with V8's. V8 knows more of WebAssembly than the engine, so it may
 * take what we call unsupported; then the refusal names a feature, form or limit of ours.
 */
import * as limits from "../../../device/sandbox/validator/limits.js";
import { UNSUPPORTED_FEATURES, UNSUPPORTED_FORMS } from "../../../device/wasm/module-verdict.js";
import { Fault } from "../../../protocol/fault.js";
import { type Prepared, prepare } from "./preparation.js";
import { isValidToV8 } from "./v8.js";

const REASONS = new Set<unknown>([...UNSUPPORTED_FEATURES, ...UNSUPPORTED_FORMS, ...Object.keys(limits)]);

export interface Verdict {
  /** Why the two verdicts do not agree; `undefined` where they do. */
  readonly disagreement: string | undefined;
  readonly isTaken: boolean;
  readonly fault: Fault | undefined;
}

function attempt(bytes: Uint8Array): Prepared | Fault {
  try {
    return prepare(bytes);
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function disagreementAboutFault(fault: Fault, isTakenByV8: boolean): string | undefined {
  const details = fault.details ?? {};
  const isKnown = ["module_invalid", "module_unsupported", "import_unknown"].includes(fault.code);
  if (!isKnown || typeof details["offset"] !== "number")
    return `unexpected refusal: ${fault.code} ${fault.message}`;
  if (fault.code === "module_unsupported" && !REASONS.has(details["feature"] ?? details["limit"]))
    return `no reason on the list: ${fault.message}`;
  return isTakenByV8 && fault.code === "module_invalid" ? `V8 takes it: ${fault.message}` : undefined;
}

/** Validates and prepares `bytes`, and compares with V8, for the prepared module too. */
export function compareWithV8(bytes: Uint8Array<ArrayBuffer>): Verdict {
  const isTakenByV8 = isValidToV8(bytes);
  const ours = attempt(bytes);
  if (ours instanceof Fault)
    return { disagreement: disagreementAboutFault(ours, isTakenByV8), isTaken: false, fault: ours };
  let disagreement: string | undefined;
  if (!isTakenByV8) disagreement = "V8 refuses it";
  else if (!isValidToV8(ours.bytes)) disagreement = "V8 refuses it prepared";
  return { disagreement, isTaken: true, fault: undefined };
}
