/** A line of the table that `npm run bench` prints: what was measured, how much, and its budget. */
export type AddRow = (what: string, measured: string, budget?: string) => void;

/** The same work some times over, and the one that was disturbed least. */
export async function best(rounds: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await measure());
  return least;
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;

export const mibPerSecond = (bytes: number, ms: number): string =>
  `${(bytes / 1048.576 / ms).toFixed(2)} MiB/s`;
