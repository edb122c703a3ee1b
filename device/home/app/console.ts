/**
 * The calls that the console gives to its home screen alone (docs/spec/home.md#requests).
 *
 * Biome does not read this file: it has no decorators of functions.
 */

/** From the next flush on, shows `h` rows from `y` on to those who hold the console only. */
@external("svc", "display_conceal")
export declare function display_conceal(y: i32, h: i32): i32;

/** Sends `METHOD path[?query]` and returns the status as over HTTP; -22 malformed, -16 busy. */
@external("svc", "console_request")
export declare function console_request(ptr: usize, len: i32): i32;

/** Copies the next bytes of the answer's body; 0 at its end. */
@external("svc", "console_read")
export declare function console_read(ptr: usize, len: i32): i32;

/** Parts that have changed since this was called last (parts.ts). */
@external("svc", "console_changes")
export declare function console_changes(): i32;
