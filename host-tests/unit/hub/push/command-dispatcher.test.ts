/** What the dispatcher sends, over commands and sockets of the test. */
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
    ...{ config: {}, firmwares: {}, logger: silentLogger },
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
    await expect.poll(() => looks, { timeout: 2000 }).toEqual(["all", "d"]);
    await dispatcher.close();
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
        { connection: 1, sendMessage: ({ command_id }: { command_id: string }) => sent.push(command_id) },
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
