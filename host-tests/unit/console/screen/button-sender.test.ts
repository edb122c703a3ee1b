import { array, assert, asyncProperty, boolean, nat, oneof, record } from "fast-check";
import { expect, test } from "vitest";
import { ButtonSender } from "../../../../console/panels/screen/button-sender.js";

/** A console that answers when the test says so. */
class SlowConsole {
  readonly got: number[] = [];
  readonly #waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];

  readonly send = (bits: number) => {
    this.got.push(bits);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  };

  get isAsked(): boolean {
    return this.#waiting.length > 0;
  }

  get askedAtOnce(): number {
    return this.#waiting.length;
  }

  async answer(isGood = true): Promise<void> {
    const request = this.#waiting.shift();
    if (isGood) request?.resolve(undefined);
    else request?.reject(new Error("lost"));
    await settled();
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("A button goes to the console at once, and so does its release after the answer", async () => {
  const console = new SlowConsole();
  const sender = new ButtonSender(console.send);
  sender.hold(16);
  expect(console.got).toEqual([16]);
  sender.hold(0);
  expect(console.got).toEqual([16]);
  await console.answer();
  expect(console.got).toEqual([16, 0]);
});

test("Of what changes while a request is under way, the newest state is sent", async () => {
  const console = new SlowConsole();
  const sender = new ButtonSender(console.send);
  sender.hold(1);
  sender.hold(1 | 16);
  sender.hold(2 | 16);
  sender.hold(2);
  await console.answer();
  await console.answer();
  await console.answer();
  expect(console.got).toEqual([1, 2 | 16, 2]);
});

test("A tap that began and ended while a request was under way is made up for", async () => {
  const console = new SlowConsole();
  const sender = new ButtonSender(console.send);
  sender.hold(1);
  sender.hold(1 | 16);
  sender.hold(1);
  await console.answer();
  await console.answer();
  expect(console.got).toEqual([1, 1 | 16, 1]);
});

test("Nothing is sent where nothing has changed", async () => {
  const console = new SlowConsole();
  const sender = new ButtonSender(console.send);
  sender.hold(0);
  sender.resume();
  expect(console.got).toEqual([]);
});

test("A release that did not arrive is sent again once the console answers", async () => {
  const console = new SlowConsole();
  const sender = new ButtonSender(console.send);
  sender.hold(16);
  await console.answer();
  sender.hold(0);
  await console.answer(false);
  expect(console.got).toEqual([16, 0]);
  sender.resume();
  expect(console.got).toEqual([16, 0, 0]);
});

test("A tap that did not arrive is not pressed later, but released", async () => {
  const console = new SlowConsole();
  const sender = new ButtonSender(console.send);
  sender.hold(16);
  sender.hold(0);
  await console.answer(false); // which may have arrived
  sender.resume();
  expect(console.got).toEqual([16, 0]);
});

test("A console that has restarted gets what is held again", async () => {
  const console = new SlowConsole();
  const sender = new ButtonSender(console.send);
  sender.hold(16);
  await console.answer();
  sender.restart();
  await console.answer();
  expect(console.got).toEqual([16, 16]);
});

test("Whatever is pressed, and whatever is lost, the console has the newest state in the end, one request at a time", async () => {
  const step = oneof(record({ hold: nat({ max: 1023 }) }), record({ answer: boolean() }));
  await assert(
    asyncProperty(array(step, { maxLength: 30 }), async (steps) => {
      const console = new SlowConsole();
      const sender = new ButtonSender(console.send);
      let wanted = 0;
      for (const done of steps) {
        if ("hold" in done) {
          wanted = done.hold;
          sender.hold(wanted);
        } else await console.answer(done.answer);
        expect(console.askedAtOnce).toBeLessThanOrEqual(1);
      }
      sender.resume();
      while (console.isAsked) await console.answer();
      sender.resume();
      while (console.isAsked) await console.answer();
      expect(console.got.at(-1) ?? 0).toBe(wanted);
    }),
  );
});
