/** Computes the delay before a retry. */
import type { Random } from "../protocol/ports/bytes.js";

export interface Backoff {
  /** No wait is shorter. */
  readonly firstMs: number;
  /** No wait is longer. */
  readonly lastMs: number;
}

/**
 * Whole milliseconds: half of it for sure, which doubles with each failure, and as much again by chance. All consoles
 * of a hub lose it at one moment, and are not to come back in step.
 *
 * @param failures in a row, 1 or more
 * @param chance from 0 to less than 1
 */
export function backoffMs(failures: number, chance: number, { firstMs, lastMs }: Backoff): number {
  const longestMs = Math.min(firstMs * 2 ** failures, lastMs);
  return Math.floor((longestMs / 2) * (1 + chance));
}

const CHANCE_BYTES = 2;

/** From 0 to less than 1, in steps of 1/65536. */
export function chanceOf(random: Random): number {
  const bytes = new Uint8Array(CHANCE_BYTES);
  random.getRandomValues(bytes);
  return ((bytes[0] as number) * 256 + (bytes[1] as number)) / 65536;
}
