/**
 * Texts of the reasons to reject a module, and the fault of each. The validator, a sandboxed program, answers with
 * numbers (`device/sandbox/validator/failures.ts`).
 */
import { Fault } from "../../protocol/fault.js";

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

/** Valid encodings and constructs that the engine misreads. The validator numbers them after the features. */
export const UNSUPPORTED_FORMS = Object.freeze([
  "long block type",
  "long opcode",
  "element segment outside the table",
] as const);

/**
 * By number. A text that begins with the name of a limit and a colon is about that limit (`limits.ts`). `#` is the
 * parameter, `~` the same in hexadecimal, `^` and `&` the types in its upper and lower byte, `%` the second parameter, `@` the
 * name that was read last.
 */
const REASONS: readonly string[] = Object.freeze([
  "",
  "the module ends too early",
  "the section or function ends too early",
  "a number is longer than 32 bits",
  "a number is longer than 64 bits",
  "it does not begin as a module does",
  "it has version #, not 1",
  "it has a section of tags",
  "there is no section of kind #",
  "section # is out of order or comes twice",
  "bytes follow the end of a section",
  "its functions have no code",
  "its data segments are missing",
  "TYPE_LIMIT:there are more than 1024 types",
  "a type is not that of a function",
  "~ is not a form of a type",
  "PARAMETER_LIMIT:a type has # parameters or results, the limit is 128",
  "RESULT_LIMIT:a type has # parameters or results, the limit is 32",
  "TYPE_VALUES_LIMIT:the types have too many parameters and results",
  "FUNCTION_LIMIT:there are more than 6144 functions",
  "there is no type #",
  "there is more than one table",
  "the table has an initial value",
  "the table is not of functions",
  "~ is not a type of elements",
  "the table is shared",
  "the table has 64-bit indices",
  "~ is not a kind of limits",
  "the maximum of the table is below its length",
  "TABLE_LIMIT_ELEMENTS:the table has # elements",
  "there is more than one memory",
  "the memory is shared",
  "the memory has 64-bit addresses",
  "a memory has at most 65536 pages",
  "the maximum of the memory is below its length",
  "a global is neither constant nor variable",
  "GLOBAL_LIMIT:there are more than 4096 globals",
  "there is no function #",
  "the start function has parameters or results",
  "a value has type ~",
  "~ is not a value type",
  "a constant expression has type ^, not &",
  "a constant expression has a second instruction",
  "a constant expression computes",
  "a constant is a reference",
  "a constant is a vector",
  "~ is not a constant instruction",
  "NAME_LIMIT_BYTES:a name is longer than 10000 bytes",
  "a name is not UTF-8",
  '"@" is a tag',
  "~ is nothing to import",
  "", // IMPORT_NO_FUNCTION: import_unknown
  '"@" is exported twice',
  "EXPORT_LIMIT:there are more than 768 exports",
  '"@" is a tag',
  "~ is nothing to export",
  "there is no % #",
  "", // ENTRY_NO_FUNCTION: entry_missing
  "", // ENTRY_TYPE: entry_missing
  "", // ENTRY_MISSING: entry_missing
  "", // QUOTA: quota_exceeded
  "# is not a kind of element segment",
  "an element segment is passive or has a kind",
  "there is no table",
  "an element segment ends past the table",
  "there are # data segments, the data count is %",
  "# is not a kind of data segment",
  "a data segment is passive or names its memory",
  "there is no memory",
  "there are # bodies for % functions",
  "a function ends past its section",
  "GROWTH_LIMIT_BYTES:a function has too many branches to loops or too much dead code",
  "LOCAL_LIMIT:a function has more than 1100 parameters and locals",
  "OPERAND_LIMIT:a function has more than 255 operands at a time",
  "there is no local #",
  "an instruction names its memory",
  "the alignment is greater than that of the value",
  "bytes follow the end of a function",
  "BRANCH_TABLE_LIMIT:a br_table has more than 4096 targets",
  "targets of a br_table take different values",
  "an operand of type & is missing",
  "an operand has type ^, not &",
  "NESTING_LIMIT:blocks are nested more than 512 deep",
  "LOOP_NESTING_LIMIT:loops are nested more than 32 deep",
  "a block leaves # operands too many",
  "there is no label #",
  "an else stands outside an if",
  "an if without else has results that are not its parameters",
  "a call goes through table #",
  "there is no global #",
  "global # cannot be set",
  "an instruction names a memory other than 0",
  "an opcode is padded",
  "instruction 0xfc ~",
  "0xfc ~ is not an instruction",
  "instruction ~",
  "~ is not an instruction",
  "a block type is padded",
  "a block type is longer than 33 bits",
  "STACK_HEIGHT_LIMIT:blocks within blocks have too many results",
  "COMPILE_STEP_LIMIT:it would take too long to compile",
  "SLOT_LIMIT:a function holds too many values at a time",
]);

/** Value types by their byte; 0 is the type of a missing operand in unreachable code. */
const TYPE_NAMES: Readonly<Record<number, string>> = Object.freeze({
  127: "i32",
  126: "i64",
  125: "f32",
  124: "f64",
  0: "any",
});

export function typeName(type: number): string {
  return TYPE_NAMES[type] ?? "?";
}

/** The validator's answer about a module that it rejects. */
export interface Rejection {
  readonly reason: number;
  /** Byte of the module, from 0. */
  readonly offset: number;
  /** Unsigned. */
  readonly parameter: number;
  readonly second: number | string;
  /** Index among features and forms, -1 for none. */
  readonly feature: number;
  /** The name that was read last. */
  readonly name: string;
}

/** Creates the fault: `module_invalid` or `module_unsupported`. */
export function faultOf(rejection: Rejection): Fault {
  const { feature, offset, reason } = rejection;
  const [text, limit] = (REASONS[reason] as string).split(":").reverse() as [string, string | undefined];
  const worded = wordedOf(text, rejection);
  if (limit !== undefined)
    return new Fault("module_unsupported", `Unsupported module at byte ${offset}: ${worded}`, {
      details: { offset, limit },
    });
  const name = UNSUPPORTED_FEATURES[feature] ?? UNSUPPORTED_FORMS[feature - UNSUPPORTED_FEATURES.length];
  if (name !== undefined)
    return new Fault("module_unsupported", `Unsupported module at byte ${offset}: ${worded} (${name})`, {
      details: { offset, feature: name },
    });
  return new Fault("module_invalid", `Invalid module at byte ${offset}: ${worded}`, { details: { offset } });
}

/** One pass, so that a name with such a sign stays as it is. */
function wordedOf(text: string, { name, parameter, second }: Rejection): string {
  let worded = "";
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "#") worded += parameter;
    else if (sign === "~") worded += `0x${parameter.toString(16)}`;
    else if (sign === "^") worded += typeName(parameter >> 8);
    else if (sign === "&") worded += typeName(parameter & 0xff);
    else if (sign === "%") worded += second;
    else worded += sign === "@" ? name : sign;
  }
  return worded;
}
