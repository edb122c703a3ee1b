import { expect, test } from "vitest";
import { MinimumRate } from "../../../protocol/minimum-rate.js";

const LEAST = 256;
const WINDOW_BYTES = 30 * LEAST;

/** A rate at which `bytesPerS` have come for `seconds`, looked at each second. @returns when it was too low */
function firstTooLow(bytesPerS: (second: number) => number, seconds: number): number | undefined {
  const rate = new MinimumRate();
  rate.start(0);
  for (let second = 1; second <= seconds; second++) {
    rate.add(bytesPerS(second));
    if (rate.isTooLow(second * 1000, LEAST)) return second;
  }
  return undefined;
}

const RATES: { name: string; bytesPerS: (second: number) => number; tooLowAt: number | undefined }[] = [
  { name: "256 bytes a second for an hour", bytesPerS: () => 256, tooLowAt: undefined },
  { name: "255 bytes a second", bytesPerS: () => 255, tooLowAt: 30 },
  { name: "nothing", bytesPerS: () => 0, tooLowAt: 30 },
  {
    name: "all at the end of each 30 s",
    bytesPerS: (s) => (s % 30 === 0 ? WINDOW_BYTES : 0),
    tooLowAt: undefined,
  },
  { name: "all at the beginning", bytesPerS: (s) => (s === 1 ? 1_000_000 : 0), tooLowAt: 60 },
];
for (const { name, bytesPerS, tooLowAt } of RATES)
  test(`${name} is ${tooLowAt === undefined ? "enough" : `too low after ${tooLowAt} s`}`, () => {
    expect(firstTooLow(bytesPerS, 3600)).toBe(tooLowAt);
  });

test("An average counts against a changed rate from two seconds on", () => {
  const rate = new MinimumRate();
  rate.start(1000);
  rate.add(3000);
  expect([2999, 3000].map((nowMs) => rate.isBelow(nowMs, 2048))).toEqual([false, true]);
  rate.add(1096);
  expect([3000, 3001].map((nowMs) => rate.isBelow(nowMs, 2048))).toEqual([false, true]);
  rate.pause(1);
  expect(rate.isBelow(3001, 2048)).toBe(false);
});

test("Time in which the console does not read is not counted, however long", () => {
  const rate = new MinimumRate();
  rate.start(0);
  let nowMs = 0;
  for (let second = 0; second < 300; second++) {
    rate.add(LEAST);
    nowMs += 1000;
    rate.pause(9000); // a flash is erased
    nowMs += 9000;
    expect(rate.isTooLow(nowMs, LEAST)).toBe(false);
  }
});

test("A rate is not too low before 30 s have passed, nor because of a late check", () => {
  const rate = new MinimumRate();
  rate.start(1000);
  expect(rate.endsAtMs).toBe(31_000);
  expect(rate.isTooLow(30_999, LEAST)).toBe(false);
  rate.add(WINDOW_BYTES + LEAST);
  expect(rate.isTooLow(32_000, LEAST)).toBe(false);
  expect(rate.endsAtMs).toBe(62_000);
});
