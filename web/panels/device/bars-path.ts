/** A bar chart as an SVG path, and its description in words. */

/** Height of the chart in steps: coarse on purpose, like a chart on a small display. */
export const BAR_STEPS = 24;

/** Describes the chart for screen readers. */
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

/** Each bar is 3 units wide, with a gap of 1, and at least 1 step high: a value of 0 stays visible. */
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

/** `value / maximum`, limited to 0 … 1. Handles two infinities, whose quotient would be NaN. */
function shareOf(value: number, maximum: number): number {
  if (!(maximum > 0 && value > 0)) return 0;
  return value >= maximum ? 1 : value / maximum;
}
