/** Messages between processes over NATS, and notifications after it was unavailable. */
import { connect } from "nats";
import { afterAll, afterEach, assert, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Bus, BusMessage, Subject } from "../../../hub/bus/bus.js";
import { NatsBus } from "../../../hub/bus/nats-bus.js";
import { isMissing } from "../../hosts/peers.js";
import { OwnNats } from "../hosts/own-nats.js";
import { silentLogger } from "../hosts/silent-logger.js";

const SWEEP: BusMessage = { kind: "sweep" };
const commands = (...ids: string[]): BusMessage => ({ kind: "commands", device_ids: ids, command_ids: [] });

const MALFORMED = [
  ...["", "{", "null", "7", "[]", "{}", '{"kind":7}', '{"kind":"of a newer version"}', "\xff"],
  ...['{"kind":"commands"}', '{"kind":"commands","device_ids":"d"}', '{"kind":"commands","device_ids":[7]}'],
  ...['{"kind":"commands","device_ids":["d"]}', '{"kind":"commands","device_ids":["d"],"command_ids":[7]}'],
  ...['{"kind":"replaced","device_id":"d"}', '{"kind":"claimed","device_id":"d"}', '{"kind":"look"}'],
];

/** Connected when it is returned. */
async function busOf(nats: OwnNats, hubId = "hub"): Promise<NatsBus> {
  const bus = new NatsBus({ natsUrl: nats.url, hubId, logger: silentLogger });
  await gapOf(bus);
  return bus;
}

const gapOf = (bus: Bus) => new Promise<void>((resolve) => bus.onGap(resolve));
const nextOf = (bus: Bus, subject: Subject) =>
  new Promise<BusMessage>((resolve) => bus.subscribe(subject, resolve));

/** Until the server has everything that was published and subscribed before: a message comes back from another bus. */
async function settle(one: Bus, other: Bus): Promise<void> {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    const subject: Subject = `process.settle-${Math.random()}`;
    const arrived = nextOf(to, subject);
    const timer = setInterval(() => from.publish(subject, SWEEP), 5);
    await arrived;
    clearInterval(timer);
  }
}

describe.skipIf(isMissing("nats-server"))("The bus over NATS", () => {
  let nats: OwnNats;
  let buses: NatsBus[];
  beforeAll(async () => {
    nats = await OwnNats.start();
  });
  afterAll(() => nats.stop());
  beforeEach(() => {
    buses = [];
  });
  afterEach(() => Promise.all(buses.map((bus) => bus.close())));

  const two = async () => {
    buses = await Promise.all([busOf(nats), busOf(nats)]);
    return buses as [NatsBus, NatsBus];
  };

  test("delivers to another process, and to this one", async () => {
    const [one, other] = await two();
    const heard = [nextOf(one, "all"), nextOf(other, "all")];
    await settle(one, other);
    one.publish("all", commands("a", "b"));
    assert.deepEqual(await Promise.all(heard), [commands("a", "b"), commands("a", "b")]);
  });

  test("delivers once to each subscriber, also in the publishing process", async () => {
    const [one, other] = await two();
    const heard: string[] = [];
    one.subscribe("all", () => heard.push("one"));
    other.subscribe("all", () => heard.push("other"));
    await settle(one, other);
    one.publish("all", SWEEP);
    await settle(one, other);
    assert.deepEqual(heard.sort(), ["one", "other"]);
  });

  test("delivers only to subscribers of the subject, in the order of publication", async () => {
    const [one, other] = await two();
    const heard: BusMessage[] = [];
    other.subscribe("process.7", (message) => heard.push(message));
    other.subscribe("process.8", () => assert.fail("another subject"));
    await settle(one, other);
    const messages = Array.from({ length: 100 }, (_, index) => commands(`${index}`));
    for (const message of messages) one.publish("process.7", message);
    await settle(one, other);
    assert.deepEqual(heard, messages);
  });

  test("does not deliver to another hub on the same server", async () => {
    const [one, other, foreign] = await Promise.all([busOf(nats), busOf(nats), busOf(nats, "another")]);
    buses = [one, other, foreign];
    foreign.subscribe("all", () => assert.fail("of another hub"));
    await settle(one, other);
    one.publish("all", SWEEP);
    await settle(one, other);
  });

  test("requests a check of all devices if their list is too long for a message", async () => {
    const [one, other] = await two();
    const heard = nextOf(other, "all");
    await settle(one, other);
    const ids = Array.from({ length: 40_000 }, (_, index) => `${index}`.padStart(36, "0"));
    one.publish("all", commands(...ids));
    assert.deepEqual(await heard, SWEEP);
  });

  test("survives malformed messages, and errors of its listeners", async () => {
    const [one, other] = await two();
    const heard: BusMessage[] = [];
    other.subscribe("all", (message) => heard.push(message));
    other.subscribe("all", () => {
      throw new Error("a defect");
    });
    let gaps = 0;
    other.onGap(() => gaps++);
    await settle(one, other);
    const stranger = await connect({ servers: nats.url });
    for (const text of MALFORMED) stranger.publish("svc.hub.hub.all", text);
    await stranger.close();
    one.publish("all", SWEEP);
    await settle(one, other);
    assert.deepEqual(heard, [SWEEP]);
    assert.isTrue(other.isConnected);
    assert.equal(gaps, 0);
  });

  test("delivers nothing after close", async () => {
    const [one, other] = await two();
    const subscription = other.subscribe("all", () => assert.fail("closed"));
    await settle(one, other);
    subscription.close();
    one.publish("all", SWEEP);
    await settle(one, other);
  });
});

describe.skipIf(isMissing("nats-server"))("The bus while NATS is away", () => {
  let nats: OwnNats;
  const buses: NatsBus[] = [];
  beforeAll(async () => {
    nats = await OwnNats.unstarted();
  });
  afterAll(async () => {
    await Promise.all(buses.map((bus) => bus.close()));
    await nats.stop();
  });

  test("starts at once, and delivers within its own process", async () => {
    buses.push(...[1, 2].map(() => new NatsBus({ natsUrl: nats.url, hubId: "hub", logger: silentLogger })));
    const [bus] = buses as [NatsBus];
    const heard = nextOf(bus, "all");
    bus.publish("all", SWEEP);
    assert.deepEqual(await heard, SWEEP);
    assert.isFalse(bus.isConnected);
  });

  test("reports a gap once NATS is available, and delivers to other processes from then on", async () => {
    const [one, other] = buses as [NatsBus, NatsBus];
    const heard = nextOf(other, "process.1"); // it listens since before there was a server
    const gaps = Promise.all(buses.map(gapOf));
    await nats.resume();
    await gaps;
    assert.isTrue(one.isConnected && other.isConnected);
    one.publish("process.1", SWEEP);
    assert.deepEqual(await heard, SWEEP);
  });

  test("continues after a restart of NATS: messages sent meanwhile are lost, and all processes are notified", async () => {
    const [one, other] = buses as [NatsBus, NatsBus];
    const heard: BusMessage[] = [];
    other.subscribe("process.2", (message) => heard.push(message));
    const gaps = Promise.all(buses.map(gapOf));
    await nats.stop();
    await expect.poll(() => one.isConnected || other.isConnected).toBe(false);
    one.publish("process.2", commands("lost"));
    await nats.resume();
    await gaps;
    one.publish("process.2", commands("said"));
    await settle(one, other);
    assert.deepEqual(heard, [commands("said")]);
  });

  test("can be closed", async () => {
    await nats.stop();
    await Promise.all(buses.map((bus) => bus.close()));
    assert.isFalse(buses.some((bus) => bus.isConnected));
  });
});
