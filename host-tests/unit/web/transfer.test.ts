/** Rate and time left of an upload. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TransferMeter } from "../../../web/install/upload-run.js";

test("no rate is shown before there is enough data", () => {
  const meter = new TransferMeter(10_000, 0);
  assert.equal(meter.update(5000, 100).bytesPerSecond, undefined);
  assert.equal(meter.update(5000, 100).secondsLeft, undefined);
});

test("an even transfer has its rate and the remaining time", () => {
  const meter = new TransferMeter(10_000, 0);
  for (let second = 1; second <= 4; second++) meter.update(second * 1000, second * 1000);
  const { bytesPerSecond, secondsLeft } = meter.update(5000, 5000);
  assert.equal(bytesPerSecond, 1000);
  assert.equal(secondsLeft, 5);
});

test("old data does not count", () => {
  const meter = new TransferMeter(1_000_000, 0);
  meter.update(500_000, 1000);
  for (let second = 2; second <= 10; second++) meter.update(500_000 + second * 100, second * 1000);
  const { bytesPerSecond } = meter.update(501_100, 11_000);
  assert.equal(bytesPerSecond, 100);
});

test("a stalled transfer has no remaining time", () => {
  const meter = new TransferMeter(10_000, 0);
  meter.update(0, 1000);
  assert.equal(meter.update(0, 2000).secondsLeft, undefined);
});
