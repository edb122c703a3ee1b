/** The form of a line (docs/spec/logs.md#line-form). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { formatLogLine, LOG_LINE_LIMIT_BYTES } from "../../../../device/services/logs/log-line.js";

const LINES = [
  { uptimeMs: 0, level: "info", message: "ready", line: "0.000 I http: ready" },
  { uptimeMs: 12_345.9, level: "warning", message: "slow", line: "12.345 W http: slow" },
  { uptimeMs: 86_400_007, level: "error", message: "gone", line: "86400.007 E http: gone" },
  {
    uptimeMs: 1,
    level: "debug",
    message: "a\nb\r\tc\u0000\u001b[2J\u009b",
    line: "0.001 D http: a\\nb\\r\\tc\\x00\\x1b[2J\\x9b",
  },
] as const;

for (const { uptimeMs, level, message, line } of LINES)
  test(`formatLogLine writes ${JSON.stringify(line)}`, () =>
    expect(formatLogLine(uptimeMs, level, "http", message)).toBe(line));

test("formatLogLine writes no control character and no more than the limit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (message) => {
      const line = formatLogLine(5, "info", "app", message);
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(LOG_LINE_LIMIT_BYTES);
    }),
  );
});

test("formatLogLine cuts a line at 512 bytes, whatever its characters", () => {
  const lengthOf = (message: string) =>
    new TextEncoder().encode(formatLogLine(0, "info", "app", message)).length;
  for (const message of [
    "x".repeat(600),
    `ä${"x".repeat(600)}`,
    "ä".repeat(400),
    "€".repeat(400),
    "😀".repeat(400),
  ])
    expect(lengthOf(message)).toBeGreaterThan(LOG_LINE_LIMIT_BYTES - 4);
  const fitting = `ä${"x".repeat(480)}`;
  expect(formatLogLine(0, "info", "app", fitting)).toBe(`0.000 I app: ${fitting}`);
});

test("formatLogLine ends a line that is too long in an ellipsis", () => {
  expect(formatLogLine(0, "info", "app", "x".repeat(600))).toMatch(/x…$/);
  expect(formatLogLine(0, "info", "app", "😀".repeat(300))).toMatch(/😀…$/);
});
