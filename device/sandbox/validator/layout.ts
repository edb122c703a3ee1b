/**
 * The memory of the validator by address, and what its caller reads there. The caller writes a piece of the module, or
 * the name of the entry, to `INPUT` plus what `room()` says, and finds the rest at the other addresses.
 */
import {
  ATOM_LIMIT_BYTES,
  FUNCTION_LIMIT,
  GLOBAL_LIMIT,
  LOCAL_LIMIT,
  NAME_KEPT_BYTES,
  NESTING_LIMIT,
  OPERAND_LIMIT,
  PARAMETER_LIMIT,
  RESULT_LIMIT,
  TYPE_LIMIT,
  TYPE_VALUES_LIMIT,
} from "./limits.js";

/** Bytes of the module that a call of `feed` accepts. */
export const PIECE_BYTES: i32 = 2048;

/** Why the program trapped, in words: the reason (0: by a mistake of its own), offset, parameter, and feature. */
export const FAILURE: i32 = 0;
/** Facts about a valid module, in words, in the order of {@link FACT_COUNT}. */
export const FACTS: i32 = 16;
export const FACT_BYTES: i32 = 4;
export const FACT_PREPARED_BYTES: i32 = 8;
export const FACT_MEMORY_PAGES: i32 = 12;
export const FACT_MEMORY_MAXIMUM_PAGES: i32 = 16;
export const FACT_PREPARED_MAXIMUM_PAGES: i32 = 20;
export const FACT_TABLE_ELEMENTS: i32 = 24;
export const FACT_HAS_START: i32 = 28;
/** Function index of the entry, -1 without one; and its signature: 1 with arguments, 2 with a result, 3 both. */
export const FACT_ENTRY: i32 = 32;
export const FACT_ENTRY_SIGNATURE: i32 = 36;
export const FACT_IMPORTED_FUNCTIONS: i32 = 40;
export const FACT_OWN_FUNCTIONS: i32 = 44;
export const FACT_GLOBALS: i32 = 48;
export const FACT_DEEPEST_LOOP: i32 = 52;
export const FACT_DEEPEST_BLOCK: i32 = 56;
/** Custom sections: offset (-1 without the section), prepared offset and length. */
export const FACT_MANIFEST: i32 = 60;
export const FACT_SCRIPT: i32 = 72;
/** The import that awaits a verdict, in words: offset, first of its values, parameters, results. */
export const IMPORT: i32 = 112;
/** Names: a word with the length in the module, then the first {@link NAME_KEPT_BYTES}. */
export const NAME: i32 = 128;
export const MODULE_NAME: i32 = NAME + 4 + NAME_KEPT_BYTES;
export const ENTRY_NAME: i32 = MODULE_NAME + 4 + NAME_KEPT_BYTES;

/** Parameters, then results, of each type in turn, in bytes; one type may be read past the limit. */
export const TYPE_VALUES: i32 = ENTRY_NAME + 4 + NAME_KEPT_BYTES;
const TYPE_VALUES_BYTES: i32 = TYPE_VALUES_LIMIT + PARAMETER_LIMIT + RESULT_LIMIT + 8;
/** The block types without an entry in the type section, which come first in the table of types. */
export const FIRST_OWN_TYPE: i32 = 5;
/** Of each type: the index of its first value in 16 bits, the counts of parameters and results in a byte each. */
export const TYPES: i32 = (TYPE_VALUES + TYPE_VALUES_BYTES + 3) & ~3;
/** Of each function, imported ones first: its type in 16 bits. */
export const FUNCTIONS: i32 = TYPES + 4 * (TYPE_LIMIT + FIRST_OWN_TYPE);
/** Of each body: the bytes by which preparing lengthens it, in 16 bits. */
export const GROWTHS: i32 = FUNCTIONS + 2 * FUNCTION_LIMIT;
/** Of each global: its type in a byte. */
export const GLOBALS: i32 = GROWTHS + 2 * FUNCTION_LIMIT;
/** Hashes of the names of exports: pairs of words; the second one of a name is odd. */
export const EXPORT_NAMES: i32 = (GLOBALS + GLOBAL_LIMIT + 3) & ~3;
export const EXPORT_NAME_SLOTS: i32 = 1024;
/** Of each opcode: a word, as in `opcodes.ts`. */
export const OPCODES: i32 = EXPORT_NAMES + 8 * EXPORT_NAME_SLOTS;
/** Of each opcode: the kind of its immediates in a byte, as in `rewriter.ts`. */
export const IMMEDIATES: i32 = OPCODES + 4 * 256;
export const LOCALS: i32 = IMMEDIATES + 256;
export const OPERANDS: i32 = LOCALS + LOCAL_LIMIT;
/** Of each open block, in 16 bits each: type, floor, records; and in a byte each: kind, whether it is unreachable. */
export const FRAME_TYPES: i32 = (OPERANDS + OPERAND_LIMIT + PARAMETER_LIMIT + RESULT_LIMIT + 3) & ~1;
export const FRAME_FLOORS: i32 = FRAME_TYPES + 2 * NESTING_LIMIT;
export const FRAME_RECORDS: i32 = FRAME_FLOORS + 2 * NESTING_LIMIT;
export const FRAME_KINDS: i32 = FRAME_RECORDS + 2 * NESTING_LIMIT;
export const FRAME_UNREACHABLE: i32 = FRAME_KINDS + NESTING_LIMIT;
/** Carried bytes and a piece. The code after an item's end may be read before it is found to be cut: 16 bytes more. */
export const INPUT: i32 = (FRAME_UNREACHABLE + NESTING_LIMIT + 3) & ~3;
const INPUT_END: i32 = INPUT + ATOM_LIMIT_BYTES + PIECE_BYTES + 16;
/** The prepared bytes of a piece: code grows by 3 bytes for 5 at the most, and sections by some 20 in all. */
export const OUTPUT: i32 = INPUT_END;
export const OUTPUT_END: i32 = OUTPUT + 2 * (ATOM_LIMIT_BYTES + PIECE_BYTES) + 64;
