/** Limits of the USB service that only it knows; those of the protocol are in `protocol/limits.ts`. */
import { CHUNK_LINE_LIMIT_BYTES } from "../../../protocol/limits.js";

/**
 * Values in a request, of any kind and at whatever depth: one with every member and a dozen parameters has 24. A line
 * of 5 KiB can hold 2,500 of them, which as values of XS are larger than its heap (docs/spec/usb.md#request-values).
 */
export const REQUEST_VALUES_LIMIT = 80;

/** The longest line with its LF, which distinguishes it from one that is too long. */
export const LINE_BUFFER_BYTES = CHUNK_LINE_LIMIT_BYTES + 1;
