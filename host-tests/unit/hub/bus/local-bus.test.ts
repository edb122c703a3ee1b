/** What a process tells itself. */
import { assert, beforeEach, test } from "vitest";
import type { BusMessage } from "../../../../hub/bus/bus.js";
import { LocalBus } from "../../../../hub/bus/local-bus.js";

const SWEEP: BusMessage = { kind: "sweep" };
let bus: LocalBus;
let heard: string[];
beforeEach(() => {
  bus = new LocalBus();
  heard = [];
});
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a message reaches everybody who listens to its subject, after publish has returned", async () => {
  for (const name of ["a", "b"]) bus.subscribe("all", ({ kind }) => heard.push(`${name} ${kind}`));
  bus.subscribe("process.1", () => heard.push("another subject"));
  bus.publish("all", SWEEP);
  assert.deepEqual(heard, []);
  await settle();
  assert.deepEqual(heard, ["a sweep", "b sweep"]);
});

test("a message that nobody listens to is none", () => bus.publish("process.1", SWEEP));

test("whoever has closed hears nothing more, not even of what was already published", async () => {
  const subscription = bus.subscribe("all", () => heard.push("closed"));
  bus.subscribe("all", () => heard.push("open"));
  bus.publish("all", SWEEP);
  subscription.close();
  subscription.close();
  await settle();
  assert.deepEqual(heard, ["open"]);
});

test("a function that listens twice is told twice, and closes once at a time", async () => {
  const listener = () => heard.push("told");
  const [first] = [bus.subscribe("all", listener), bus.subscribe("all", listener)];
  first.close();
  bus.publish("all", SWEEP);
  await settle();
  assert.deepEqual(heard, ["told"]);
});

test("one that fails does not keep the others from hearing", async () => {
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const before = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException").on("uncaughtException", onFailure);
  bus.subscribe("all", () => {
    throw new Error("mine");
  });
  bus.subscribe("all", () => heard.push("other"));
  bus.publish("all", SWEEP);
  await settle();
  process.removeListener("uncaughtException", onFailure);
  for (const listener of before) process.on("uncaughtException", listener);
  assert.deepEqual(heard, ["other"]);
  assert.equal(failures.length, 1);
});

test("nothing is heard once the bus is closed", async () => {
  bus.subscribe("all", () => heard.push("late"));
  bus.publish("all", SWEEP);
  await bus.close();
  await settle();
  assert.deepEqual(heard, []);
});
