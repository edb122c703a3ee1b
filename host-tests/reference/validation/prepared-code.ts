/**
 * How preparing changes the code of a function:
 *
 * - Loops and function entries stay unchanged: the engine itself checks at each of them whether the app must
 *   end, which costs a tight loop less than two more instructions (docs/adr/0009-how-apps-are-bounded.md).
 * - Dead code (after `br`, `br_table`, `return` or `unreachable`, up to the `else` or `end` of the block) is omitted.
 *   The engine's compiler does not track types there and fails in several ways, so it must not see such code.
 * - `br` to a loop with parameters becomes `i32.const 1; br_if; unreachable`: for `br` the engine fails to pass the
 *   values.
 */
/** Bytes that the rewrite of such a `br` adds: `i32.const 1` before the branch and `unreachable` after it. */
export const LOOP_BRANCH_GROWTH_BYTES = 3;
