/** When a network is joined again (docs/spec/wifi.md#retry). */
import { expect, test } from "vitest";
import { retryDelayMs } from "../../../../device/services/wifi/join-phase.js";

const chance = (byte: number) => ({ getRandomValues: (into: Uint8Array) => into.fill(byte) });
const DELAYS = [
  { failures: 1, longestMs: 1000, shortestMs: 751 },
  { failures: 2, longestMs: 2000, shortestMs: 1502 },
  { failures: 6, longestMs: 32_000, shortestMs: 24_032 },
  { failures: 7, longestMs: 60_000, shortestMs: 45_059 },
  { failures: 5000, longestMs: 60_000, shortestMs: 45_059 },
];

for (const { failures, longestMs, shortestMs } of DELAYS)
  test(`After ${failures} failures in a row the next attempt comes within ${shortestMs} to ${longestMs} ms`, () => {
    expect(retryDelayMs(failures, chance(0))).toBe(longestMs);
    expect(retryDelayMs(failures, chance(255))).toBe(shortestMs);
  });
