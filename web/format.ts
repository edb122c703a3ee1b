/**
 * Formats sizes, times and rates for users. Values of the same magnitude have the same length, so that columns do not
 * move. Sorts names in natural order.
 */

const KIB = 1024;
const UNITS = ["KiB", "MiB", "GiB"];

/** For example `900 bytes`, `5.3 KiB`, `4.0 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < KIB) return bytes === 1 ? "1 byte" : `${Math.round(bytes)} bytes`;
  let value = bytes / KIB;
  let unit = 0;
  // 1023.96 would become "1024.0"
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= KIB;
    unit++;
  }
  return `${value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** For example `48.2 KiB/s`. */
export function formatRate(bytesPerSecond: number): string {
  return `${formatBytes(bytesPerSecond)}/s`;
}

/** For example `35%`. @param share 0 to 1 */
export function formatPercent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** The two largest units of a time: `41 s`, `3 min 07 s`, `5 h 12 min`, `2 d 03 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes < 1) return `${seconds} s`;
  if (hours < 1) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  if (hours < 24) return `${hours} h ${twoDigits(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${twoDigits(hours % 24)} h`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true });

export function inNaturalOrder<Named extends { readonly name: string }>(items: readonly Named[]): Named[] {
  return [...items].sort((one, other) => COLLATOR.compare(one.name, other.name));
}
