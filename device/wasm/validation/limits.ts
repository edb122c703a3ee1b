/**
 * Limits of the modules that we take, each with its reason. They come from two sides: the engine (wasm3
 * 0.5.0 with `d_m3MaxFunctionStackHeight` 2000) has tables of fixed size that it does not always check,
 * and the heap of the management VM must not follow what a module claims. A valid module beyond one is
 * `module_unsupported`.
 */

/**
 * Everything but code, names and data is decoded whole; the largest such thing is a function type
 * (docs/spec/limits.md#module-limits).
 */
export const ATOM_LIMIT_BYTES = 256;

/** Two bytes a type in our heap; the engine compares each type with all before it. */
export const TYPE_LIMIT = 1024;

/** Parameters and results of all types together, a byte each in our heap. */
export const TYPE_VALUES_LIMIT = 8192;

/**
 * Parameters of a function. A caller writes them past its own frame before the callee checks the stack,
 * so the engine keeps room for this many values (and the results) beyond the end of its stack.
 */
export const PARAMETER_LIMIT = 128;

/** Results of a function or block. The engine's compiler recurses once for each of them. */
export const RESULT_LIMIT = 32;

/** Imported and own functions. Mature modules of 1 MiB have 3000 to 5000. */
export const FUNCTION_LIMIT = 6144;

/** The type of each function and the bytes by which it grows, in 16 bits each. */
export const FUNCTION_TABLE_BYTES = 4 * FUNCTION_LIMIT;

/** Globals: one byte each in our heap. One index is left for the interrupt. */
export const GLOBAL_LIMIT = 4096;

/** Exports: eight bytes each in our heap, in a table kept at most three quarters full. */
export const EXPORT_LIMIT = 768;

/** Elements of the table: the engine allocates a pointer for each. */
export const TABLE_LIMIT_ELEMENTS = 16_384;

/** Names of imports, exports, custom sections, functions (`d_m3MaxSaneUtf8Length`). */
export const NAME_LIMIT_BYTES = 10_000;

/** What is kept of a name: the names of the ABI and ours are shorter, an entry is at most 64 long. */
export const NAME_KEPT_BYTES = 64;

/** Parameters and locals of a function. They share the engine's {@link STACK_HEIGHT_LIMIT} with operands. */
export const LOCAL_LIMIT = 1100;

/**
 * Operands on the stack of a function at a time. The engine counts in one byte how many of them stand for
 * the same local.
 */
export const OPERAND_LIMIT = 255;

/**
 * Blocks within blocks, the function's own included. The engine's compiler recurses for each, 290 to 350 bytes
 * of native stack with 32-bit pointers (gcc -O2), so that the deepest function decides about the stack that
 * compiling needs. A `switch` of 256 cases has 257; the parser of llhttp, the deepest seen, 439.
 */
export const NESTING_LIMIT = 512;

/**
 * Loops within loops. Each takes a native frame while it runs, and the engine checks the native stack only
 * where it calls: it keeps room for this many frames.
 */
export const LOOP_NESTING_LIMIT = 32;

/** Targets of one `br_table`; the engine makes one piece of code for each. */
export const BRANCH_TABLE_LIMIT = 4096;

/** Entries of the engine's compile-time stack (`d_m3MaxFunctionStackHeight`), which is not checked everywhere. */
export const STACK_HEIGHT_LIMIT = 2000;

/** Slots of one frame (`d_m3MaxFunctionSlots`); the engine does not check where the results of calls go. */
export const SLOT_LIMIT = 4000;

/** Slots that the engine may reserve for constants (`d_m3MaxConstantTableSize`). */
export const CONSTANT_SLOTS = 120;

/**
 * Steps that compiling the whole module takes the engine where they grow faster than the code: at each block
 * it looks at every local for every operand, and for each local at every slot before it. 2^28 steps are
 * about half a second on a desktop; real modules need a thousandth.
 */
export const COMPILE_STEP_LIMIT = 2 ** 28;

/** How much preparing may change the length of one function. */
export const GROWTH_LIMIT_BYTES = 32_767;
