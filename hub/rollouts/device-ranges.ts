/**
 * Splits the devices of rollouts by their positions, for statements that read all of them: each takes some milliseconds,
 * however many devices there are, and the process serves its sockets in between.
 */

/** Devices that one statement reads. */
const DEVICES_PER_STATEMENT = 5000;

/** Rollouts that one statement reads. */
const ROLLOUTS_PER_STATEMENT = 100;

/** Positions from `from` up to but not including `to`. */
export interface DeviceRange {
  readonly from: number;
  readonly to: number;
}

/** @param count of the devices; the first has position 0 */
export function* deviceRanges(count: number): Generator<DeviceRange> {
  for (let from = 0; from < count; from += DEVICES_PER_STATEMENT)
    yield { from, to: Math.min(count, from + DEVICES_PER_STATEMENT) };
}

/** Groups ranges, of several rollouts, so that one statement can read a group. */
export function inStatements<Range extends DeviceRange>(
  ranges: Iterable<Range>,
): readonly (readonly Range[])[] {
  const groups: Range[][] = [];
  let devices = DEVICES_PER_STATEMENT;
  for (const range of ranges) {
    const count = range.to - range.from;
    const last = groups.at(-1);
    if (!last || devices + count > DEVICES_PER_STATEMENT || last.length === ROLLOUTS_PER_STATEMENT) {
      groups.push([range]);
      devices = count;
    } else {
      last.push(range);
      devices += count;
    }
  }
  return groups;
}
