/** What a console gives an app unless its manifest asks for more. */

/** Bytes of the app's memory for its stack. */
export const STACK_BYTES = 4096;
/** Bytes of memory, at the start and for good: one page. */
export const MEMORY_BYTES = 65536;
