import { beforeAll, describe, expect, test } from "vitest";
import { AppHost } from "./app-host.js";
import { COMPILE_TIMEOUT_MS, compileExample } from "./examples.js";

const SECOND_HAND = 0xf800;

let clock: Uint8Array;
beforeAll(async () => {
  clock = await compileExample("clock");
}, COMPILE_TIMEOUT_MS);

/** Runs the clock until that many seconds are shown. */
function runUntil(seconds: number, host = new AppHost()): AppHost {
  expect(host.run(clock, () => (host.nowMs / 1000 > seconds ? host.stop() : undefined))).toBe("stopped");
  return host;
}

/** A pixel of the second hand, where it points at that position of 60; the dial's centre is (120, 148). */
function handPixel(host: AppHost, position: number): number | undefined {
  const angle = (position / 60) * 2 * Math.PI;
  return host.pixel(Math.trunc(120 + 90 * Math.sin(angle)), Math.trunc(148 - 90 * Math.cos(angle)));
}

describe("the clock", () => {
  test("shows the uptime in digits", () => {
    const host = new AppHost();
    host.nowMs = (25 * 3600 + 7 * 60 + 9) * 1000;
    host.run(clock, () => host.stop());
    expect(host.texts).toEqual(["25:07:09"]);
  });

  test("draws once a second, on the second", () => {
    const host = new AppHost();
    host.nowMs = 400;
    const times: number[] = [];
    host.run(clock, () => {
      times.push(host.nowMs);
      if (times.length === 3) host.stop();
    });
    expect(times).toEqual([1000, 2000, 3000]);
    expect(host.flushes).toBe(3);
  });

  for (const position of [0, 15, 30, 45])
    test(`draws the second hand at ${position} and erases it again`, () => {
      const before = runUntil(position);
      const after = runUntil(position + 1);
      expect(handPixel(before, position)).toBe(SECOND_HAND);
      expect(handPixel(after, position)).toBe(0);
    });

  test("draws only where hands and digits are", () => {
    const [before, after] = [runUntil(1), runUntil(2)];
    for (let x = 0; x < 240; x++)
      for (const y of [0, 20, 290, 319]) expect(after.pixel(x, y)).toBe(before.pixel(x, y));
  });

  test("runs for hours without more memory", { timeout: COMPILE_TIMEOUT_MS }, () => {
    const host = runUntil(3 * 3600);
    expect(host.lastText("03")).toBe("03:00:00");
    expect(host.log).toEqual([]);
  });

  test("fits a smaller display", () => {
    const host = runUntil(15, new AppHost({ width: 128, height: 160 }));
    expect(host.pixel(64 + 30, 68)).toBe(SECOND_HAND);
  });

  test("exits with a message without a display", () => {
    const host = new AppHost({ failing: { display_width: -19 } });
    expect(host.run(clock, () => undefined)).toBe(1);
    expect(host.log).toEqual([{ level: 3, text: "this console has no display" }]);
  });
});
