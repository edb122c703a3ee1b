/** Days and months: which date a day since 1970 has. */

const WEEKDAYS: StaticArray<string> = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]; // 1970 began on a Thursday
const MONTHS: StaticArray<string> = [
  "Jan",
  "Feb",
  "Mar",
  "Apr",
  "May",
  "Jun",
  "Jul",
  "Aug",
  "Sep",
  "Oct",
  "Nov",
  "Dec",
];

/** Of the Gregorian calendar, in which 400 years are a period. */
const DAYS_IN_PERIOD: i64 = 146_097;
const DAYS_IN_CENTURY: i64 = 36_524;
const DAYS_IN_FOUR_YEARS: i64 = 1461;
/** From 1 March of the year 0, where a period begins whose leap days are at ends of years, to 1970. */
const DAYS_TO_1970: i64 = 719_468;

/** @param day since 1970 @returns `Thu 26 Nov 2026` */
export function dateOf(day: i64): string {
  const since = day + DAYS_TO_1970;
  const period = since / DAYS_IN_PERIOD;
  const inPeriod = since % DAYS_IN_PERIOD;
  const leapDays =
    inPeriod / (DAYS_IN_FOUR_YEARS - 1) - inPeriod / DAYS_IN_CENTURY + inPeriod / (DAYS_IN_PERIOD - 1);
  const year = (inPeriod - leapDays) / 365;
  const inYear = inPeriod - (365 * year + year / 4 - year / 100);
  const month = (5 * inYear + 2) / 153; // from March
  const date = inYear - (153 * month + 2) / 5 + 1;
  const isNextYear = month >= 10;
  const number = period * 400 + year + (isNextYear ? 1 : 0);
  return `${WEEKDAYS[i32(day % 7)]} ${date} ${MONTHS[i32((month + 2) % 12)]} ${number}`;
}
