/**
 * Sizes of the benchmarks: enough work for reliable figures, or, in a short round (`npm run bench -- --short`), just
 * enough to run each part once. Parts differ only in these sizes.
 */

/** Read from the environment, which run.ts sets, since each part is bundled with its own copy of this module. */
const isShort = process.env["SVC_BENCH_SHORT"] === "1";

/** @returns the size for this round */
export function inRound<Size>(sizes: { readonly full: Size; readonly short: Size }): Size {
  return isShort ? sizes.short : sizes.full;
}
