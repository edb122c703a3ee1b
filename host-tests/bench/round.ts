/**
 * How much a benchmark does: as much as its figures need, or in a short round (`npm run bench -- --short`) only so much
 * that each of its parts has run. A part gives its sizes here, and is otherwise the same program in both.
 */

/** Set by run.ts, since each part is bundled with a copy of this module. */
const isShort = process.env["SVC_BENCH_SHORT"] === "1";

/** @returns the size in this round */
export function inRound<Size>(sizes: { readonly full: Size; readonly short: Size }): Size {
  return isShort ? sizes.short : sizes.full;
}
