/** What the dispatcher sends, over commands and sockets of the test. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { afterEach, expect, test, vi } from "vitest";
import { CommandDispatcher, HELD_RETRY_MS } from "../../../../hub/push/command-dispatcher.js";
import { Fault } from "../../../../protocol/fault.js";
import { silentLogger } from "../../../hub/hosts/silent-logger.js";
import { inMicrotasks } from "./in-microtasks.js";

type Options = ConstructorParameters<typeof CommandDispatcher>[0];

/** @param dequeue called with the devices of each look, `undefined` for all */
function dispatcherOver(dequeue: (deviceIds?: readonly string[]) => Promise<readonly never[]>) {
  return new CommandDispatcher({
    commands: { dequeue, dequeueAll: dequeue },
    config: {},
    firmwares: {},
    logger: silentLogger,
    sockets: new Map([["d", {}]]),
  } as unknown as Options);
}

for (let microtasks = 0; microtasks < 10; microtasks++)
  test(`a device that is named ${microtasks} microtasks after the last look is looked at without another hint`, async () => {
    const looks: string[] = [];
    const dispatcher = dispatcherOver(async (deviceIds) => {
      looks.push(deviceIds?.join() ?? "all");
      if (looks.length === 1) void inMicrotasks(microtasks, () => dispatcher.toNamed(["d"]));
      return [];
    });
    dispatcher.toAll();
    await expect.poll(() => looks).toEqual(["all", "d"]);
    await dispatcher.close();
  });

const FAILURES = [
  { after: "it has connected", query: "dequeueAll", begin: (dispatcher) => dispatcher.toOpened("d") },
  { after: "it was named", query: "dequeue", begin: (dispatcher) => dispatcher.toNamed(["d"]) },
  { after: "a sweep", query: "dequeue", begin: (dispatcher) => dispatcher.toAll() },
] satisfies { after: string; query: string; begin: (dispatcher: CommandDispatcher) => void }[];
// A query that fails may have marked commands as sent: its transaction may be committed.
for (const { after, query, begin } of FAILURES)
  test(`a device whose commands could not be read after ${after} gets all that are pending at the next sweep`, async () => {
    const queries: string[] = [];
    let isDown = true;
    const ask = (name: string) => async (deviceIds?: readonly string[]) => {
      queries.push(`${name} ${deviceIds?.join() ?? "all"}`);
      if (isDown && name === query) throw new Error("The database is unavailable");
      return [];
    };
    const dispatcher = new CommandDispatcher({
      commands: { dequeue: ask("dequeue"), dequeueAll: ask("dequeueAll") },
      config: {},
      firmwares: {},
      logger: silentLogger,
      sockets: new Map([["d", {}]]),
    } as unknown as Options);
    begin(dispatcher);
    await dispatcher.close();
    isDown = false;
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      queries.length = 0;
      dispatcher.toAll();
      await dispatcher.close();
      expect(queries).toEqual(sweeps === 0 ? ["dequeueAll d", "dequeue all"] : ["dequeue all"]);
    }
  });

const command = (id: string, position: number, device_id = "d") => ({
  id,
  position,
  device_id,
  kind: "uninstall",
  subject: id,
  version: "",
  sent_connection: 1,
});

/** A dispatcher of one connection, with what is sent over it, and the commands that are pending at each query. */
function dispatcherOfOne(pending: readonly ReturnType<typeof command>[]) {
  const sent: string[] = [];
  const queries: string[] = [];
  const sendText = (message: string) => sent.push(JSON.parse(message).command_id);
  const dispatcher = new CommandDispatcher({
    commands: {
      dequeueAll: async ([deviceId]: readonly string[]) => {
        queries.push(`all of ${deviceId}`);
        return pending;
      },
    },
    config: {},
    firmwares: {},
    history: { add: () => {} },
    logger: silentLogger,
    sockets: new Map([["d", { connection: 1, lastPosition: 0, sendText }]]),
  } as unknown as Options);
  const toStored = (...commands: readonly ReturnType<typeof command>[]) =>
    dispatcher.toStored(commands as unknown as Parameters<CommandDispatcher["toStored"]>[0]);
  return { dispatcher, queries, sent, toStored };
}

test("new commands are sent without a look into the database, to the connections that they name", async () => {
  const { dispatcher, queries, sent, toStored } = dispatcherOfOne([]);
  toStored(
    command("one", 1),
    { ...command("of a connection before", 2), sent_connection: 0 },
    command("two", 3),
  );
  toStored(command("of another process", 4, "other"));
  await dispatcher.close();
  expect([queries, sent]).toEqual([[], ["one", "two"]]);
});

test("a new command that comes after a later one is sent with all that are pending, in their order", async () => {
  const [one, two] = [command("one", 1), command("two", 2)];
  const { dispatcher, queries, sent, toStored } = dispatcherOfOne([two]); // it has replaced the other
  toStored(two);
  toStored(one);
  await dispatcher.close();
  expect([queries, sent]).toEqual([["all of d"], ["two", "two"]]);
});

test("a command that is new while its device connects is sent once", async () => {
  const one = command("one", 1);
  const { dispatcher, sent, toStored } = dispatcherOfOne([one]);
  dispatcher.toOpened("d");
  toStored(one); // before the look at what is pending
  await dispatcher.close();
  toStored(one); // after it
  await dispatcher.close();
  expect(sent).toEqual(["one"]);
});

afterEach(() => void vi.useRealTimers());

const UPDATE = { kind: "firmware", device_id: "d", subject: "", version: "2.0.0", sent_connection: 1 };

// docs/spec/hub-push.md#held
test("firmware that cannot be read is sent a minute later, with one line in the log for all its devices", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const pending = [
    { ...UPDATE, id: "one" },
    { ...UPDATE, id: "two" },
  ];
  const waiting = [...pending];
  const unsent: string[] = [];
  const errors: unknown[] = [];
  const sent: string[] = [];
  let isMissing = true;
  const dispatcher = new CommandDispatcher({
    commands: {
      dequeue: async () => waiting.splice(0),
      unsend: async (ids: readonly string[]) => {
        unsent.push(...ids);
        waiting.push(...pending);
      },
    },
    config: {},
    firmwares: {
      require: async () => ({}),
      servedSignature: async () => {
        if (isMissing) throw new Fault("file_damaged", "The file is missing");
        return "signature";
      },
    },
    logger: { ...silentLogger, error: (line: unknown) => errors.push(line) },
    sockets: new Map([
      [
        "d",
        {
          connection: 1,
          lastPosition: 0,
          sendText: (message: string) => sent.push(JSON.parse(message).command_id),
        },
      ],
    ]),
  } as unknown as Options);
  dispatcher.toAll();
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(HELD_RETRY_MS / 2); // polling advances the clock too
  expect([unsent, errors.length, sent]).toEqual([[], 1, []]);
  isMissing = false;
  vi.advanceTimersByTime(HELD_RETRY_MS / 2);
  await expect.poll(() => sent).toEqual(["one", "two"]);
  expect([unsent, errors.length]).toEqual([["one", "two"], 1]);
  await dispatcher.close();
  expect(vi.getTimerCount()).toBe(0);
});

test("a command whose message fails is held, and those after it are sent", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const unsent: string[] = [];
  const sent: string[] = [];
  const sendText = (text: string) => {
    const { command_id } = JSON.parse(text);
    if (command_id === "one") throw new Error("It cannot be written");
    sent.push(command_id);
  };
  const dispatcher = new CommandDispatcher({
    commands: { dequeue: async () => [], unsend: async (ids: readonly string[]) => void unsent.push(...ids) },
    config: {},
    firmwares: {},
    history: { add: () => {} },
    logger: silentLogger,
    sockets: new Map([["d", { connection: 1, lastPosition: 0, sendText }]]),
  } as unknown as Options);
  dispatcher.toStored([command("one", 1), command("two", 2)] as never);
  await expect.poll(() => sent).toEqual(["two"]);
  vi.advanceTimersByTime(HELD_RETRY_MS);
  await expect.poll(() => unsent).toEqual(["one"]);
  await dispatcher.close();
});

test("commands whose file is missing leave the process time for others, however many they are", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const many = Array.from({ length: 20_000 }, (_, at) => ({ ...UPDATE, id: `${at}`, position: at + 1 }));
  const dispatcher = new CommandDispatcher({
    config: {},
    history: { add: () => {} },
    logger: { ...silentLogger, error: () => {} },
    firmwares: { require: () => Promise.reject(new Fault("file_damaged", "The file is missing")) },
    sockets: new Map([["d", { connection: 1, lastPosition: 0 }]]),
  } as unknown as Options);
  dispatcher.toStored(many as never);
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  await dispatcher.close();
  isOver = true;
  expect(turns).toBeGreaterThan(2);
});

test("the file of a command is read within the trace of its order, though the dispatcher began with another one", async () => {
  const active = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => active.getStore() ?? ROOT_CONTEXT,
    with: (within, work, self, ...values) => active.run(within, () => work.apply(self, values)),
    bind: (_, target) => target,
    enable: () => context as never,
    disable: () => context as never,
  });
  const traces: unknown[] = [];
  const dispatcher = new CommandDispatcher({
    config: {},
    history: { add: () => {} },
    logger: silentLogger,
    firmwares: {
      require: async () => void traces.push(trace.getSpanContext(context.active())?.traceId),
      servedSignature: async () => "signature",
    },
    sockets: new Map([["d", { connection: 1, lastPosition: 0, sendText: () => {} }]]),
  } as unknown as Options);
  const orders = ["1".repeat(32), "2".repeat(32)];
  for (const [at, traceId] of orders.entries()) {
    const order = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: "1".repeat(16), traceFlags: 1 });
    const update = { ...UPDATE, id: traceId, position: at + 1, version: `${at}.0.0` };
    context.with(order, () => dispatcher.toStored([update] as never));
  }
  await dispatcher.close().finally(() => context.disable());
  expect(traces).toEqual(orders);
});
