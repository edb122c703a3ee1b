/**
 * What preparing makes of the code of a function.
 *
 * - Loops and function entries are left as they are: the engine itself looks at each of them whether the app is
 *   to end, which costs a tight loop less than two more instructions (docs/adr/0009-how-apps-are-bounded.md).
 * - What is never reached (after `br`, `br_table`, `return`, `unreachable`, up to the `else` or `end` of the
 *   block) is left out. The engine's compiler does not follow the types there and goes wrong in more than one
 *   way; so it never sees such code.
 * - `br` to a loop with parameters becomes `i32.const 1; br_if; unreachable`: for `br` the engine forgets to hand
 *   over the values.
 */
/** `i32.const 1` before the branch and `unreachable` after it. */
export const LOOP_BRANCH_GROWTH_BYTES = 3;
