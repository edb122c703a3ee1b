/** The message bus within one process. */
import { assert, beforeEach, test } from "vitest";
import { type BusMessage, LocalBus } from "../../../../hub/bus/bus.js";

const SWEEP: BusMessage = { kind: "sweep" };
let bus: LocalBus;
let heard: string[];
beforeEach(() => {
  bus = new LocalBus();
  heard = [];
});
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a message reaches all subscribers of its subject, after publish has returned", async () => {
  for (const name of ["a", "b"]) bus.subscribe("all", ({ kind }) => heard.push(`${name} ${kind}`));
  bus.subscribe("process.1", () => heard.push("another subject"));
  bus.publish("all", SWEEP);
  assert.deepEqual(heard, []);
  await settle();
  assert.deepEqual(heard, ["a sweep", "b sweep"]);
});

test("a message without a subscriber is dropped, and not delivered to later subscribers", async () => {
  bus.publish("process.1", SWEEP);
  bus.subscribe("process.1", () => heard.push("late"));
  await settle();
  assert.deepEqual(heard, []);
  bus.publish("process.1", SWEEP);
  await settle();
  assert.deepEqual(heard, ["late"]);
});

test("a closed subscription receives nothing more, not even what was published before", async () => {
  const subscription = bus.subscribe("all", () => heard.push("closed"));
  bus.subscribe("all", () => heard.push("open"));
  bus.publish("all", SWEEP);
  subscription.close();
  subscription.close();
  await settle();
  assert.deepEqual(heard, ["open"]);
});

test("a function that subscribes twice is called twice, until each subscription is closed", async () => {
  const listener = () => heard.push("told");
  const [first] = [bus.subscribe("all", listener), bus.subscribe("all", listener)];
  first.close();
  bus.publish("all", SWEEP);
  await settle();
  assert.deepEqual(heard, ["told"]);
});

test("a subscriber that throws does not keep others from receiving", async () => {
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

test("a closed bus delivers nothing", async () => {
  bus.subscribe("all", () => heard.push("late"));
  bus.publish("all", SWEEP);
  await bus.close();
  await settle();
  assert.deepEqual(heard, []);
});
