/** Rate and time left of an upload. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TransferMeter } from "../../../web/install/upload-run.js";

test("nothing is said of the rate before there is enough to tell", () => {
  const meter = new TransferMeter(10_000, 0);
  assert.equal(meter.update(5000, 100).bytesPerSecond, undefined);
  assert.equal(meter.update(5000, 100).secondsLeft, undefined);
});

test("an even transfer has its rate and the time that is left", () => {
  const meter = new TransferMeter(10_000, 0);
  for (let second = 1; second <= 4; second++) meter.update(second * 1000, second * 1000);
  const { bytesPerSecond, secondsLeft } = meter.update(5000, 5000);
  assert.equal(bytesPerSecond, 1000);
  assert.equal(secondsLeft, 5);
});

test("what was long ago does not count", () => {
  const meter = new TransferMeter(1_000_000, 0);
  meter.update(500_000, 1000);
  for (let second = 2; second <= 10; second++) meter.update(500_000 + second * 100, second * 1000);
  const { bytesPerSecond } = meter.update(501_100, 11_000);
  assert.equal(bytesPerSecond, 100);
});

test("a transfer that stands still has no time left to tell", () => {
  const meter = new TransferMeter(10_000, 0);
  meter.update(0, 1000);
  assert.equal(meter.update(0, 2000).secondsLeft, undefined);
});
