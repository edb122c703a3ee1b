/**
 * Consoles of each step of a rollout, as the hub plans them (`stepEnds` in hub/rollouts/rollout-state.ts).
 * @param percents of all consoles, at the end of each step
 */
export function stepSizes(percents: readonly number[], devices: number): readonly number[] {
  const ends = percents.map((percent) => Math.ceil((percent * devices) / 100));
  return ends.map((end, at) => end - (ends[at - 1] ?? 0));
}
