import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { startConsole } from "../../hosts/simulator.js";
import { program } from "./programs.js";

test("timers fire in order of their times, and those of one time in order of creation", async () => {
  const console = await startConsole({
    image: program(`
      timer.set(() => say("third"), 30);
      timer.set(() => say("second"), 10);
      timer.set(() => say("first"), 0);
      timer.set(() => say("fourth"), 30);
      timer.set(() => say("end"), 40);
    `),
  });
  await console.waitForLine(/^end$/);
  expect(console.stderr).toEqual(["first", "second", "third", "fourth", "end"]);
  await console.stop();
});

test("a repeating timer fires until its callback clears it", async () => {
  const console = await startConsole({
    image: program(`
      let count = 0;
      const repeating = timer.repeat(() => {
        say("tick " + ++count);
        if (count === 3) timer.clear(repeating);
      }, 2);
      timer.set(() => say("end"), 60);
    `),
  });
  await console.waitForLine(/^end$/);
  expect(console.stderr).toEqual(["tick 1", "tick 2", "tick 3", "end"]);
  await console.stop();
});

test("clear() of undefined, a fired or a cleared timer does nothing", async () => {
  const console = await startConsole({
    image: program(`
      const fired = timer.set(() => {
        timer.clear(fired);
        timer.clear(fired);
        timer.clear(undefined);
        const cleared = timer.set(() => say("never"), 1);
        timer.clear(cleared);
        timer.clear(cleared);
        timer.set(() => say("end"), 10);
      }, 1);
    `),
  });
  await console.waitForLine(/^end$/);
  expect(console.stderr).toEqual(["end"]);
  await console.stop();
});

test("a timer without references survives garbage collection", async () => {
  const console = await startConsole({
    image: program(`
      timer.set(() => say("kept"), 20);
      let garbage;
      for (let index = 0; index < 20000; index++) garbage = { index };
    `),
  });
  assert.equal(await console.waitForLine(/kept/), "kept");
  await console.stop();
});

test("promise jobs run after the callback that created them and before the next one", async () => {
  const console = await startConsole({
    image: program(`
      timer.set(async () => {
        say("one");
        await undefined;
        say("job of one");
      }, 5);
      timer.set(() => say("two"), 5);
      timer.set(() => say("end"), 10);
    `),
  });
  await console.waitForLine(/^end$/);
  expect(console.stderr).toEqual(["one", "job of one", "two", "end"]);
  await console.stop();
});
