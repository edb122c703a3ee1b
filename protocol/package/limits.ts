/** Limits of packages and of the memory that reading one takes, each with its reason. */

/** How far back a deflate stream may reach (RFC 1951 §3.2.5), and so what must be kept of the output. */
export const WINDOW_BYTES = 32 * 1024;

/**
 * Output that is handed on at once: a sector of flash. It divides the window, so that no piece wraps, and
 * it is how much more than its limit a bomb gets to unpack.
 */
export const PIECE_BYTES = 4096;

/** 32 by 32 pixels of four bytes are 4096 bytes, and no header of a BMP needs that much again. */
export const ICON_LIMIT_BYTES = 8 * 1024;

/**
 * Extended headers of one member: those that tar makes for the few names that are taken have some 100 bytes,
 * with attributes of a file system a few hundred. They are held in the heap while they are read.
 */
export const EXTENDED_HEADER_LIMIT_BYTES = 4096;
