/** What the dispatcher sends, over commands and sockets of the test. */
import { expect, test } from "vitest";
import { CommandDispatcher } from "../../../../hub/push/command-dispatcher.js";
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
