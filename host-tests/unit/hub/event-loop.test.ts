/** How long work lets the event loop turn. */
import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { yieldIfLong } from "../../../hub/event-loop.js";

const spin = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test("Work that takes a moment is not interrupted", async () => {
  await setImmediate();
  const clock = vi.spyOn(performance, "now").mockReturnValue(1000);
  expect(yieldIfLong()).toBeUndefined();
  clock.mockReturnValue(1001);
  expect(yieldIfLong()).toBeUndefined();
  clock.mockRestore();
});

test("Other work comes between the steps of long work", async () => {
  const order: string[] = [];
  await setImmediate();
  yieldIfLong();
  for (const step of ["one", "two", "three"]) {
    globalThis.setImmediate(() => order.push(`other work after ${step}`));
    order.push(step);
    spin(10);
    await yieldIfLong();
    yieldIfLong(); // begins to measure the new turn
  }
  expect(order).toEqual(["one", "two", "three"].flatMap((step) => [step, `other work after ${step}`]));
});
