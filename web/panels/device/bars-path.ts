/** What a chart of bars shows: as a path, and in words. */

/** Steps of the height: coarse on purpose, as a small display would draw them. */
export const BAR_STEPS = 24;

/** What the picture shows, for those who do not see it. */
export function inWords(
  values: readonly (number | undefined)[],
  format: (value: number) => string,
  period: string,
): string {
  const known = values.filter((value) => value !== undefined);
  const now = known.at(-1);
  if (now === undefined) return "No values yet";
  return `Now ${format(now)}, between ${format(Math.min(...known))} and ${format(Math.max(...known))} in the ${period}`;
}

/** Three wide, one apart, four in all; every value leaves a trace, zero as well. */
export function barsPath(values: readonly (number | undefined)[], maximum: number, capacity: number): string {
  const shown = values.slice(-capacity);
  const left = capacity - shown.length;
  return shown
    .map((value, index) => {
      if (value === undefined) return "";
      const height = Math.max(1, Math.round(shareOf(value, maximum) * BAR_STEPS));
      return `M${(left + index) * 4} ${BAR_STEPS}v-${height}h3v${height}z`;
    })
    .join("");
}

/** From 0 to 1, of infinities as well, whose quotient would be no number. */
function shareOf(value: number, maximum: number): number {
  if (!(maximum > 0 && value > 0)) return 0;
  return value >= maximum ? 1 : value / maximum;
}
