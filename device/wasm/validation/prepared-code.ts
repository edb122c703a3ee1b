/**
 * What preparing makes of the code of a function.
 *
 * - Every loop begins with `global.get $interrupt; if; unreachable; end`, so that the app stops within one
 *   turn once the host has set the global. Function entries are left as they are: the engine calls its hook
 *   `m3_Yield` at every call, which looks at the same interrupt and at the native stack.
 * - What is never reached (after `br`, `br_table`, `return`, `unreachable`, up to the `else` or `end` of the
 *   block) is left out. The engine's compiler does not follow the types there and goes wrong in more than one
 *   way; so it never sees such code.
 * - `br` to a loop with parameters becomes `i32.const 1; br_if; unreachable`: for `br` the engine forgets to hand
 *   over the values.
 *
 * TODO: a parameter of a block that stands for the same local as another operand (`local.get 0; local.get 0;
 * block (param i32)`) gets the engine's slots mixed up, and the function computes something else. Within such
 * functions each `local.get` is to be followed by an operation that changes nothing but makes a value of its
 * own (`i32.const 0; i32.or`). No compiler in use emits such blocks; nothing outside the frame is touched.
 */
import { lebLength } from "./value-types.js";

/** `i32.const 1` before the branch and `unreachable` after it. */
export const LOOP_BRANCH_GROWTH_BYTES = 3;

/** Bytes of the check at the beginning of a loop. @param interrupt index of the global */
export function loopGrowthBytes(interrupt: number): number {
  return 5 + lebLength(interrupt);
}
