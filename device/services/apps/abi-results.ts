/** Results of ABI functions that are errors (`ABI_ERRORS`), by the names that services use. */
export const NOT_PERMITTED = -1;
export const NOT_FOUND = -2;
export const IO_ERROR = -5;
export const OUT_OF_MEMORY = -12;
export const BUSY = -16;
export const NO_HARDWARE = -19;
export const INVALID = -22;
export const NO_SPACE = -28;
export const NOT_SUPPORTED = -38;
