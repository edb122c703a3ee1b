/**
 * The lesser of two whole numbers. `Math.min` gives XS a floating-point number, and whatever is computed from one is
 * one too: on a board, in software, and for as long as a position in a module is counted on from it.
 */
export function minimum(one: number, other: number): number {
  return one < other ? one : other;
}

/** As {@link minimum} in place of `Math.max`. */
export function maximum(one: number, other: number): number {
  return one > other ? one : other;
}
