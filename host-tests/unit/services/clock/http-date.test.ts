/** Dates of HTTP answers (docs/spec/clock.md#http). */
import { expect, test } from "vitest";
import { readHttpDate } from "../../../../device/services/clock/http-date.js";

test.each([
  "Sun, 06 Nov 1994 08:49:37 GMT",
  "Thu, 29 Feb 2024 23:59:59 GMT",
  "Thu, 01 Jan 1970 00:00:00 GMT",
])("%s is a date", (text) => {
  expect(new Date(readHttpDate(text) as number).toUTCString()).toBe(text);
});

test.each([
  "",
  "Sunday, 06-Nov-94 08:49:37 GMT",
  "Sun Nov  6 08:49:37 1994",
  "Sun, 31 Feb 2024 08:49:37 GMT",
  "Sun, 00 Nov 1994 08:49:37 GMT",
  "Sun, 06 anF 1994 08:49:37 GMT",
  "Sun, 06 Nov 1994 24:00:00 GMT",
  "Sun, 06 Nov 1994 08:60:37 GMT",
  "Sun, 06 Nov 1994 08:49:61 GMT",
  "Sun, 06 Nov 1994 08:49:37 UTC",
  " Sun, 06 Nov 1994 08:49:37 GMT",
])("%j is none", (text) => {
  expect(readHttpDate(text)).toBeUndefined();
});
