/** Adds a row to the table that `npm run bench` prints: what was measured, the result, and its budget. */
export type AddRow = (what: string, measured: string, budget?: string) => void;

/** Repeats a measurement. @returns the lowest result, which is the least disturbed one */
export async function best(rounds: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await measure());
  return least;
}

/** Returns the milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export const kib = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;

export const mibPerSecond = (bytes: number, ms: number): string =>
  `${(bytes / 1048.576 / ms).toFixed(2)} MiB/s`;
