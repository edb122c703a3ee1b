/**
 * The lesser of two integers. On XS, `Math.min` returns a floating-point number, and so does all arithmetic on its
 * result. A board computes these in software, for every later step of a position in the module.
 */
export function minimum(one: number, other: number): number {
  return one < other ? one : other;
}

/** The greater of two integers, for the same reason as {@link minimum}. */
export function maximum(one: number, other: number): number {
  return one > other ? one : other;
}
