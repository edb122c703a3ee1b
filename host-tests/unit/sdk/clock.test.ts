import { beforeAll, describe, expect, test } from "vitest";
import { AppHost } from "./app-host.js";
import { COMPILE_TIMEOUT_MS, compileExample } from "./examples.js";

const HAND = 0xffff;
const MINUTE_MS = 60_000;

let clock: Uint8Array;
beforeAll(async () => {
  clock = await compileExample("clock");
}, COMPILE_TIMEOUT_MS);

/** Runs the clock from a time of day on, for some milliseconds. */
function runFrom(startedAtMs: number | undefined, forMs = 0, host = new AppHost()): AppHost {
  host.startedAtMs = startedAtMs;
  expect(host.run(clock, () => (host.nowMs > forMs ? host.stop() : undefined))).toBe("stopped");
  return host;
}

/** A pixel of the minute hand, where it points at that minute; the dial's centre is (120, 124). */
function handPixel(host: AppHost, minute: number): number | undefined {
  const angle = (minute / 60) * 2 * Math.PI;
  return host.pixel(Math.trunc(120 + 70 * Math.sin(angle)), Math.trunc(124 - 70 * Math.cos(angle)));
}

const textsAt = (iso: string, utcOffsetMin = 0) => {
  const host = new AppHost();
  host.utcOffsetMin = utcOffsetMin;
  return runFrom(Date.parse(iso), 0, host).texts;
};

describe("the clock", () => {
  test("shows time and date, in the user's zone", () => {
    expect(textsAt("2026-11-26T08:41:59Z", 60)).toEqual(["09:41", "Thu 26 Nov 2026"]);
    expect(textsAt("2026-01-01T01:05:00Z", -210)).toEqual(["21:35", "Wed 31 Dec 2025"]);
  });

  test("knows every date", () => {
    const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const days = Array.from({ length: 300 }, (_, index) => Date.UTC(1970, 0, 1 + index * 487));
    for (const day of [...days, Date.UTC(2000, 1, 29), Date.UTC(2100, 1, 28), Date.UTC(2100, 2, 1)]) {
      const date = new Date(day);
      const expected = `${weekdays[date.getUTCDay()]} ${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
      expect(textsAt(date.toISOString())[1]).toBe(expected);
    }
  });

  test("draws once a minute, within a second of it", () => {
    const start = Date.UTC(2026, 10, 26, 8, 41, 58, 400);
    const host = runFrom(start, 2 * MINUTE_MS);
    expect(host.flushes).toBe(3);
    expect(host.texts.filter((text) => text.includes(":"))).toEqual(["08:41", "08:42", "08:43"]);
  });

  for (const minute of [0, 15, 30, 45])
    test(`draws the minute hand at ${minute} and erases it again`, () => {
      const start = Date.UTC(2026, 0, 1, 6, minute);
      expect(handPixel(runFrom(start), minute)).toBe(HAND);
      expect(handPixel(runFrom(start, 2 * MINUTE_MS), minute)).toBe(0);
    });

  test("draws only where hands and digits are", () => {
    const start = Date.UTC(2026, 0, 1, 6, 10);
    const [before, after] = [runFrom(start), runFrom(start, MINUTE_MS)];
    for (let x = 0; x < 240; x++)
      for (const y of [0, 8, 317, 319]) expect(after.pixel(x, y)).toBe(before.pixel(x, y));
  });

  test("says so while there is no time, and shows the time once there is", () => {
    const host = new AppHost();
    host.run(clock, () => {
      if (host.nowMs > 3000) host.stop();
      if (host.nowMs > 1000) host.startedAtMs = Date.UTC(2026, 0, 1, 6);
    });
    expect(host.texts.slice(0, 2)).toEqual(["--:--", "no time yet"]);
    expect(host.texts.slice(-2)).toEqual(["06:00", "Thu 1 Jan 2026"]);
  });

  test("runs for hours without more memory", { timeout: COMPILE_TIMEOUT_MS }, () => {
    const host = runFrom(Date.UTC(2026, 0, 1, 6), 3 * 3600_000);
    expect(host.lastText("09")).toBe("09:00");
    expect(host.log).toEqual([]);
  });

  test("fits a smaller display", () => {
    const host = runFrom(Date.UTC(2026, 0, 1, 6, 15), 0, new AppHost({ width: 128, height: 160 }));
    expect(host.pixel(64 + 20, 44)).toBe(HAND);
  });

  test("exits with a message without a display", () => {
    const host = new AppHost({ failing: { display_width: -19 } });
    expect(host.run(clock, () => undefined)).toBe(1);
    expect(host.log).toEqual([{ level: 3, text: "this console has no display" }]);
  });
});
