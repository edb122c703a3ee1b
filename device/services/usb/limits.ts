/** Limits of the USB service that only it knows; those of the protocol are in `protocol/limits.ts`. */
import { CHUNK_LINE_LIMIT_BYTES } from "../../../protocol/limits.js";

/** The longest line with its LF, which tells it from one that is too long. */
export const LINE_BUFFER_BYTES = CHUNK_LINE_LIMIT_BYTES + 1;
