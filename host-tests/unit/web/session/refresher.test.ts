/** Apps and firmware state are read one reading at a time, and the newest reading is the one that counts. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Device } from "../../../../device-client/device.js";
import { Refresher } from "../../../../web/session/refresher.js";

/** A device whose answers the test triggers. */
function slowDevice() {
  const answers: { resolve: (apps: unknown) => void; reject: (error: Error) => void }[] = [];
  const device = {
    apps: () => new Promise((resolve, reject) => void answers.push({ resolve, reject })),
    otaStatus: async () => ({ state: "idle" }),
  } as unknown as Device;
  return { device, answers };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("any number of requests during a reading cause one more reading", async () => {
  const { device, answers } = slowDevice();
  const refresher = new Refresher(() => device);
  const all = [refresher.refresh(), refresher.refresh(), refresher.refresh()];
  assert.equal(answers.length, 1);
  answers[0]?.resolve([{ name: "old" }]);
  await settled();
  assert.equal(answers.length, 2);
  answers[1]?.resolve([{ name: "new" }]);
  await Promise.all(all);
  assert.deepEqual(refresher.apps.value, [{ name: "new" }]);
  assert.equal(refresher.ota.value?.state, "idle");
  assert.equal(answers.length, 2);
});

test("an answer of the previous console is dropped", async () => {
  const { device, answers } = slowDevice();
  let current: Device | undefined = device;
  const refresher = new Refresher(() => current);
  const reading = refresher.refresh();
  current = undefined;
  answers[0]?.resolve([{ name: "of before" }]);
  await reading;
  assert.equal(refresher.apps.value, undefined);
});

test("a failed reading keeps the known value, and the next reading starts anew", async () => {
  const { device, answers } = slowDevice();
  const refresher = new Refresher(() => device);
  const first = refresher.refresh();
  answers[0]?.resolve([{ name: "bricks" }]);
  await first;
  const second = refresher.refresh();
  answers[1]?.reject(new Error("It is gone"));
  await second;
  assert.deepEqual(refresher.apps.value, [{ name: "bricks" }]);
  const third = refresher.refresh();
  answers[2]?.resolve([]);
  await third;
  assert.deepEqual(refresher.apps.value, []);
});
