import { expect, test } from "vitest";
import { TIMER_CONTRACT } from "../../contracts/timer.js";
import { EmulatedClock } from "../../hosts/emulated-clock.js";
import { runContract } from "./run-contract.js";

runContract("EmulatedClock", TIMER_CONTRACT, () => {
  const clock = new EmulatedClock();
  return { timer: clock, clock, pass: (milliseconds: number) => clock.pass(milliseconds) };
});

test("EmulatedClock stands still until advanced", () => {
  const clock = new EmulatedClock(5);
  let calls = 0;
  clock.set(() => calls++, 0);
  expect(clock.uptimeMs()).toBe(5);
  expect(calls).toBe(0);
  clock.advance(0);
  expect(calls).toBe(1);
});

test("EmulatedClock shows each timer the time at which it was due", () => {
  const clock = new EmulatedClock();
  const times: number[] = [];
  const handle = clock.repeat(() => times.push(clock.uptimeMs()), 10);
  clock.set(() => times.push(clock.uptimeMs()), 25);
  clock.advance(35);
  expect(times).toEqual([10, 20, 25, 30]);
  expect(clock.uptimeMs()).toBe(35);
  expect(clock.untilNextMs).toBe(5);
  clock.clear(handle);
  expect(clock.timerCount).toBe(0);
  expect(clock.untilNextMs).toBeUndefined();
});

test("EmulatedClock keeps the due time of a timer that throws", () => {
  const clock = new EmulatedClock();
  clock.set(() => {
    throw new Error("a bug");
  }, 10);
  expect(() => clock.advance(20)).toThrow("a bug");
  expect(clock.uptimeMs()).toBe(10);
  expect(clock.timerCount).toBe(0);
});
