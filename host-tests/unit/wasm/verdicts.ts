/**
 * What V8, wabt and the oracle of preparations say of a module, and whether the validator agrees with them.
 *
 * V8 knows more of WebAssembly than the engine, so that it may take what we call unsupported. wabt knows the engine's
 * features alone, the others are switched off: it must refuse what we say has another one. About limits, and forms that
 * the engine misreads, neither of them can judge: `refusals.test.ts` and `module-validator.test.ts` do.
 */
import wabt from "wabt";
import * as limits from "../../../device/sandbox/validator/limits.js";
import type { ModulePreparerOptions } from "../../../device/wasm/module-preparer.js";
import { UNSUPPORTED_FEATURES, UNSUPPORTED_FORMS } from "../../../device/wasm/module-verdict.js";
import { Fault } from "../../../protocol/fault.js";
import { expectedPreparation } from "./expected-preparation.js";
import { type Prepared, prepare } from "./preparation.js";
import { isValidToV8 } from "./v8.js";

const FEATURES = new Set<unknown>(UNSUPPORTED_FEATURES);
const REASONS = new Set<unknown>([...UNSUPPORTED_FEATURES, ...UNSUPPORTED_FORMS, ...Object.keys(limits)]);

type Features = Readonly<Record<string, boolean>>;

/** docs/spec/app-packages.md#features. All other features of wabt are off, also those that it has on by itself. */
const ENGINE_FEATURES: Features = Object.freeze({
  annotations: false,
  bulk_memory: true,
  code_metadata: false,
  exceptions: false,
  extended_const: false,
  function_references: false,
  gc: false,
  memory64: false,
  multi_memory: false,
  multi_value: true,
  mutable_globals: true,
  reference_types: false,
  relaxed_simd: false,
  sat_float_to_int: true,
  sign_extension: true,
  simd: false,
  tail_call: false,
  threads: false,
});

/** Of bulk memory the engine has `memory.copy` and `memory.fill` alone; wabt has all or nothing. */
const WITHOUT_BULK_MEMORY: Features = Object.freeze({ ...ENGINE_FEATURES, bulk_memory: false });

/** wabt's reader checks the kind of a data segment against those of element segments, which go up to 7. */
const INVALID_TO_V8_ALONE = /: [3-7] is not a kind of data segment$/;

/** What wabt's reader takes all the same with reference types, and with bulk memory, switched off. */
const MISSED_BY_WABT =
  /: (an element segment is passive or has a kind|there is more than one table|the table is not of functions|instruction 0x1c) /;

const assembler = await wabt();

/** Whether wabt takes a module of these features. */
function isValidToWabt(bytes: Uint8Array, features: Features = ENGINE_FEATURES): boolean {
  let module: ReturnType<typeof assembler.readWasm> | undefined;
  try {
    module = assembler.readWasm(bytes, { ...features, readDebugNames: false });
    module.validate();
    return true;
  } catch {
    return false;
  } finally {
    module?.destroy();
  }
}

export interface Verdict {
  /** Why the verdicts do not agree; `undefined` where they do. */
  readonly disagreement: string | undefined;
  readonly isTaken: boolean;
  readonly fault: Fault | undefined;
}

function attempt(prepareIt: () => Prepared): Prepared | Fault {
  try {
    return prepareIt();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function disagreementAboutFault(fault: Fault, bytes: Uint8Array<ArrayBuffer>): string | undefined {
  const { code, details = {}, message } = fault;
  if (code === "entry_missing" || code === "quota_exceeded" || code === "import_unknown") return undefined;
  if (typeof details["offset"] !== "number") return `unexpected refusal: ${code} ${message}`;
  if (code === "module_invalid") {
    if (isValidToV8(bytes)) return `V8 takes it: ${message}`;
    if (INVALID_TO_V8_ALONE.test(message)) return undefined;
    return isValidToWabt(bytes) ? `wabt takes it: ${message}` : undefined;
  }
  if (code !== "module_unsupported" || !REASONS.has(details["feature"] ?? details["limit"]))
    return `no reason on the list: ${message}`;
  const feature = details["feature"];
  if (!FEATURES.has(feature) || MISSED_BY_WABT.test(message)) return undefined;
  const features = feature === "bulk memory" ? WITHOUT_BULK_MEMORY : ENGINE_FEATURES;
  return isValidToWabt(bytes, features) ? `wabt takes it without that: ${message}` : undefined;
}

function disagreementAboutTaken(
  bytes: Uint8Array<ArrayBuffer>,
  ours: Prepared,
  options: ModulePreparerOptions,
): string | undefined {
  if (!isValidToV8(bytes)) return "V8 refuses it";
  if (!isValidToWabt(bytes)) return "wabt refuses it";
  if (!isValidToV8(ours.bytes)) return "V8 refuses it prepared";
  if (!isValidToWabt(ours.bytes)) return "wabt refuses it prepared";
  const wanted = expectedPreparation(bytes, options);
  const [facts, wantedFacts] = [ours.facts, wanted.facts].map((each) => JSON.stringify(sorted(each)));
  if (facts !== wantedFacts) return `the facts are ${facts}, not ${wantedFacts}`;
  const [hex, wantedHex] = [ours.bytes, wanted.bytes].map((each) => Buffer.from(each).toString("hex"));
  return hex === wantedHex ? undefined : `prepared it is ${hex}, not ${wantedHex}`;
}

const sorted = (facts: object) => Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1));

/** Validates and prepares `bytes`, and compares with the judges, for the prepared module too. */
export function compareWithJudges(
  bytes: Uint8Array<ArrayBuffer>,
  options: ModulePreparerOptions = {},
  cuts: readonly number[] = [],
): Verdict {
  const ours = attempt(() => prepare(bytes, options, cuts));
  if (ours instanceof Fault)
    return { disagreement: disagreementAboutFault(ours, bytes), isTaken: false, fault: ours };
  return { disagreement: disagreementAboutTaken(bytes, ours, options), isTaken: true, fault: undefined };
}
