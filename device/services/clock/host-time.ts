/** The time of the host's own clock: a computer's, or one that a board keeps. */

/** No console is older than this: an earlier time is that of a clock that was never set. */
export const EARLIEST_TIME_MS = Date.UTC(2025, 0, 1);

/** Milliseconds since 1970; `undefined` if the clock was never set. */
export function hostTimeMs(): number | undefined {
  const time = Date.now();
  return time >= EARLIEST_TIME_MS ? time : undefined;
}
