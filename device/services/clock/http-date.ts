/** The time in an HTTP answer: the field `Date` in the format that servers must send (IMF-fixdate, RFC 9110 §5.6.7). */

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const DATE = /^[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT$/;

/** @returns milliseconds since 1970; `undefined` for anything but a date */
export function readHttpDate(text: string): number | undefined {
  const [, day, month = "?", year, time] = DATE.exec(text) ?? [];
  const index = MONTHS.indexOf(month);
  if (index < 0 || index % 3 !== 0) return undefined;
  const iso = `${year}-${`${index / 3 + 1}`.padStart(2, "0")}-${day}T${time}.000Z`;
  const timeMs = Date.parse(iso);
  // Formatting it again detects dates that the parser tolerates, such as 30 February.
  return Number.isNaN(timeMs) || new Date(timeMs).toISOString() !== iso ? undefined : timeMs;
}
