/**
 * The lesser of two whole numbers. `Math.min` gives XS a floating-point number, and whatever is computed from one is
 * one too: on a board, in software, and for as long as a position in a module is counted on from it.
 */
export function lesser(one: number, other: number): number {
  return one < other ? one : other;
}

/** As {@link lesser} in place of `Math.max`. */
export function greater(one: number, other: number): number {
  return one > other ? one : other;
}
