/** How long to wait before a network is joined again. */
import type { Random } from "../../../protocol/ports/bytes.js";
import { FIRST_RETRY_MS, LAST_RETRY_MS } from "./limits.js";

/**
 * Whole milliseconds, twice as many after each failure up to {@link LAST_RETRY_MS}, and up to a quarter less by
 * chance: all consoles of a house lose their access point at one moment, and are not to come back in step.
 *
 * @param failures in a row, 1 or more
 */
export function retryDelayMs(failures: number, random: Random): number {
  const longestMs = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS);
  const chance = new Uint8Array(1);
  random.getRandomValues(chance);
  return longestMs - Math.floor((longestMs / 4) * ((chance[0] as number) / 256));
}
