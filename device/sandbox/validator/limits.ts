/**
 * Limits of a module, each with its reason. They have two sources: the engine (wasm3 0.5.0 with
 * `d_m3MaxFunctionStackHeight` 2000) has tables of fixed size that it does not always check, and a module must not
 * determine how much heap the management VM allocates. A valid module over a limit is `module_unsupported`.
 */

/**
 * Longest item that a reader decodes in one step. Code, names and data arrive in parts; of the other items a function
 * type is the longest (docs/spec/limits.md#module-limits).
 */
export const ATOM_LIMIT_BYTES: i32 = 256;

/** Types. Each takes two bytes of our heap, and the engine compares it with all types before it. */
export const TYPE_LIMIT: i32 = 1024;

/** Parameters and results of all types together. Each takes one byte of our heap. */
export const TYPE_VALUES_LIMIT: i32 = 8192;

/**
 * Parameters of a function. A caller writes them past its own frame before the callee checks the stack,
 * so the engine keeps room for this many values (and the results) beyond the end of its stack.
 */
export const PARAMETER_LIMIT: i32 = 128;

/** Results of a function or block. The engine's compiler recurses once for each of them. */
export const RESULT_LIMIT: i32 = 32;

/** Imported and own functions. Mature modules of 1 MiB have 3000 to 5000. */
export const FUNCTION_LIMIT: i32 = 6144;

/** Size of a table that holds, in 16 bits each, the type of each function and the bytes by which it grows. */
export const FUNCTION_TABLE_BYTES: i32 = 4 * FUNCTION_LIMIT;

/** Globals. Each takes one byte of our heap. The interrupt global needs one further index. */
export const GLOBAL_LIMIT: i32 = 4096;

/** Exports. Each takes eight bytes of our heap, in a table that is at most three quarters full. */
export const EXPORT_LIMIT: i32 = 768;

/** Elements of the table. The engine allocates a pointer for each. */
export const TABLE_LIMIT_ELEMENTS: i32 = 16_384;

/** Length of the name of an import, export, custom section or function (`d_m3MaxSaneUtf8Length`). */
export const NAME_LIMIT_BYTES: i32 = 10_000;

/** Bytes kept of a name. The names of the ABI and our sections are shorter; an entry's name has at most 64 bytes. */
export const NAME_KEPT_BYTES: i32 = 64;

/** Parameters and locals of a function. They share the engine's {@link STACK_HEIGHT_LIMIT} with operands. */
export const LOCAL_LIMIT: i32 = 1100;

/**
 * Operands on the stack of a function at a time. The engine counts in one byte how many of them refer to
 * the same local.
 */
export const OPERAND_LIMIT: i32 = 255;

/**
 * Nested blocks, including the function's own. The engine's compiler recurses for each and takes 290 to 350 bytes
 * of native stack with 32-bit pointers (gcc -O2), so the deepest function determines the stack that compilation
 * needs. A `switch` of 256 cases nests 257 blocks; the parser of llhttp, the deepest seen, nests 439.
 */
export const NESTING_LIMIT: i32 = 512;

/**
 * Nested loops. Each takes a native stack frame while it runs, and the engine checks the native stack only at calls,
 * so it reserves room for this many frames.
 */
export const LOOP_NESTING_LIMIT: i32 = 32;

/** Targets of one `br_table`. The engine generates code for each. */
export const BRANCH_TABLE_LIMIT: i32 = 4096;

/** Entries of the engine's compile-time stack (`d_m3MaxFunctionStackHeight`), which it does not check everywhere. */
export const STACK_HEIGHT_LIMIT: i32 = 2000;

/** Slots of one frame (`d_m3MaxFunctionSlots`). The engine does not check the slots for results of calls. */
export const SLOT_LIMIT: i32 = 4000;

/** Slots that the engine may reserve for constants (`d_m3MaxConstantTableSize`). */
export const CONSTANT_SLOTS: i32 = 120;

/**
 * Compiler steps of the whole module that grow faster than the code: at each block the engine compares every operand
 * with every local, and for each local it searches all slots before it. 2^28 steps take about half a second on a
 * desktop; real modules need a thousandth.
 */
export const COMPILE_STEP_LIMIT: i32 = 0x1000_0000;

/** Bytes by which preparing may lengthen or shorten one function: the range of an `Int16Array`. */
export const GROWTH_LIMIT_BYTES: i32 = 32_767;
