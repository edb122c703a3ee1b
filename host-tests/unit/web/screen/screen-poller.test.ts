import { expect, test } from "vitest";
import { PICTURE_INTERVAL_MS, RETRY_MS, ScreenPoller } from "../../../../web/panels/screen/screen-poller.js";
import { PictureRate } from "../../../../web/panels/screen/screen-view.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";

/** A console whose pictures take as long as the test sets. */
function polling(answerMs: number, pictureOf: (index: number) => Uint8Array) {
  const clock = new EmulatedClock();
  const asked: number[] = [];
  const seen: { atMs: number; isNew: boolean }[] = [];
  const errors: unknown[] = [];
  const signals: AbortSignal[] = [];
  const poller = new ScreenPoller({
    clock,
    picture: (signal) => {
      const index = asked.push(clock.uptimeMs()) - 1;
      signals.push(signal);
      return new Promise((resolve, reject) =>
        clock.set(() => {
          try {
            resolve(pictureOf(index));
          } catch (error) {
            reject(error);
          }
        }, answerMs),
      );
    },
    onPicture: (_, isNew) => seen.push({ atMs: clock.uptimeMs(), isNew }),
    onError: (error) => errors.push(error),
  });
  return { clock, asked, seen, errors, signals, poller };
}

const picture = (...bytes: number[]) => Uint8Array.from(bytes);

test("Pictures are requested at most ten times a second", async () => {
  const { clock, asked, poller } = polling(10, (index) => picture(index));
  await clock.pass(PICTURE_INTERVAL_MS * 3);
  expect(asked).toEqual([0, 100, 200, 300]);
  poller.close();
});

test("Pictures are requested one after the other if they arrive slower", async () => {
  const { clock, asked, poller } = polling(250, (index) => picture(index));
  await clock.pass(600);
  expect(asked).toEqual([0, 250, 500]);
  poller.close();
});

test("An unchanged picture is reported as unchanged", async () => {
  const { clock, seen, poller } = polling(10, (index) => (index === 2 ? picture(1, 2) : picture(1)));
  await clock.pass(400);
  expect(seen.map(({ isNew }) => isNew)).toEqual([true, false, true, true]);
  poller.close();
});

test("After a failed picture, the next one is requested later", async () => {
  const { clock, asked, errors, poller } = polling(10, (index) => {
    if (index === 0) throw new Error("busy");
    return picture(index);
  });
  await clock.pass(10 + RETRY_MS);
  expect(errors).toEqual([new Error("busy")]);
  expect(asked).toEqual([0, 10 + RETRY_MS]);
  poller.close();
});

test("Once closed, it sends no request, cancels the current one, and makes no callback", async () => {
  const { clock, asked, seen, errors, signals, poller } = polling(50, (index) => {
    if (index === 1) throw new Error("given up");
    return picture(index);
  });
  await clock.pass(120);
  poller.close();
  await clock.pass(5000);
  expect(asked).toEqual([0, 100]);
  expect(signals[1]?.aborted).toBe(true);
  expect(seen.length).toBe(1);
  expect(errors).toEqual([]);
});

test("Closed in a pause, it leaves no timer", async () => {
  const { clock, poller } = polling(10, (index) => picture(index));
  await clock.pass(50);
  poller.close();
  expect(clock.timerCount).toBe(0);
});

test("The rate covers the last few seconds", () => {
  const rate = new PictureRate();
  expect(rate.count(0)).toBeUndefined();
  expect(rate.count(500)).toBe(2);
  let last: number | undefined;
  for (let atMs = 600; atMs <= 10_000; atMs += 100) last = rate.count(atMs);
  expect(last).toBeCloseTo(10);
  expect(rate.count(20_000)).toBeUndefined();
});
