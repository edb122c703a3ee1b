import { array, assert, asyncProperty, boolean, nat, oneof, record } from "fast-check";
import { expect, test } from "vitest";
import { ButtonSender, PRESS_MS } from "../../../../web/panels/screen/button-sender.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";

/** A console whose answers the test triggers, and its clock. */
class SlowConsole {
  readonly clock = new EmulatedClock();
  readonly got: number[] = [];
  /** When each was. */
  readonly sentMs: number[] = [];
  readonly answeredMs: number[] = [];
  readonly #waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];

  readonly send = (bits: number) => {
    this.got.push(bits);
    this.sentMs.push(this.clock.uptimeMs());
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
    if (request) this.answeredMs.push(this.clock.uptimeMs());
    if (isGood) request?.resolve(undefined);
    else request?.reject(new Error("lost"));
    await settled();
  }

  /** Until nothing is under way or due any more. */
  async answerAll(): Promise<void> {
    while (this.isAsked || this.clock.timerCount > 0) {
      await this.answer();
      await this.clock.pass(PRESS_MS);
    }
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function pressing() {
  const console = new SlowConsole();
  return { console, sender: new ButtonSender(console.send, console.clock) };
}

test("A press is sent at once, and so is the release of a held button", async () => {
  const { console, sender } = pressing();
  sender.hold(16);
  expect(console.got).toEqual([16]);
  await console.answer();
  await console.clock.pass(PRESS_MS);
  sender.hold(0);
  expect(console.got).toEqual([16, 0]);
});

test("The release of a tap waits until apps have had time to see the press", async () => {
  const { console, sender } = pressing();
  sender.hold(16);
  await console.clock.pass(30); // on the way there
  await console.answer();
  await console.clock.pass(20);
  sender.hold(0);
  await console.clock.pass(PRESS_MS - 21);
  expect(console.got).toEqual([16]);
  await console.clock.pass(1);
  expect(console.got).toEqual([16, 0]);
});

test("A press does not wait for the release of another button", async () => {
  const { console, sender } = pressing();
  sender.hold(1);
  await console.answer();
  sender.hold(0);
  await console.clock.pass(40);
  sender.hold(2);
  expect(console.got).toEqual([1, 1 | 2]);
  await console.answer();
  await console.clock.pass(60);
  expect(console.got).toEqual([1, 1 | 2, 2]);
});

test("Two taps in quick succession remain two", async () => {
  const { console, sender } = pressing();
  for (const bits of [16, 0, 16, 0]) sender.hold(bits);
  await console.answerAll();
  expect(console.got).toEqual([16, 0, 16, 0]);
});

test("After changes during a request, the newest state is sent", async () => {
  const { console, sender } = pressing();
  sender.hold(1);
  await console.answer();
  await console.clock.pass(PRESS_MS);
  sender.hold(1 | 4);
  sender.hold(1 | 4 | 16);
  sender.hold(2 | 4 | 16);
  sender.hold(2 | 4);
  await console.answerAll();
  expect(console.got).toEqual([1, 1 | 4, 2 | 4 | 16, 2 | 4]);
});

test("A tap that began and ended during a request is sent afterwards", async () => {
  const { console, sender } = pressing();
  sender.hold(1);
  sender.hold(1 | 16);
  sender.hold(1);
  await console.answerAll();
  expect(console.got).toEqual([1, 1 | 16, 1]);
});

test("Nothing is sent without a change", async () => {
  const { console, sender } = pressing();
  sender.hold(0);
  sender.resume();
  expect(console.got).toEqual([]);
});

test("A lost release is sent again once the console answers", async () => {
  const { console, sender } = pressing();
  sender.hold(16);
  await console.answer();
  await console.clock.pass(PRESS_MS);
  sender.hold(0);
  await console.answer(false);
  expect(console.got).toEqual([16, 0]);
  sender.resume();
  expect(console.got).toEqual([16, 0, 0]);
});

test("A lost tap is not pressed later, but released", async () => {
  const { console, sender } = pressing();
  sender.hold(16);
  sender.hold(0);
  await console.answer(false); // which may have arrived
  sender.resume();
  expect(console.got).toEqual([16, 0]);
});

test("A console that has restarted gets the held buttons again", async () => {
  const { console, sender } = pressing();
  sender.hold(16);
  await console.answer();
  sender.restart();
  await console.answer();
  expect(console.got).toEqual([16, 16]);
});

/** What becomes of a page and its console: buttons, answers and their loss, time. */
const step = oneof(
  record({ hold: nat({ max: 1023 }) }),
  record({ answer: boolean() }),
  record({ passMs: nat({ max: 2 * PRESS_MS }) }),
);

test("After any presses and losses the console has the newest state in the end, one request at a time", async () => {
  await assert(
    asyncProperty(array(step, { maxLength: 30 }), async (steps) => {
      const { console, sender } = pressing();
      let wanted = 0;
      for (const done of steps) {
        if ("hold" in done) {
          wanted = done.hold;
          sender.hold(wanted);
        } else if ("answer" in done) await console.answer(done.answer);
        else await console.clock.pass(done.passMs);
        expect(console.askedAtOnce).toBeLessThanOrEqual(1);
      }
      sender.resume();
      await console.answerAll();
      sender.resume();
      await console.answerAll();
      expect(console.got.at(-1) ?? 0).toBe(wanted);
    }),
  );
});

test("However short a press is, the console has it for as long as apps need", async () => {
  const tap = record({ heldMs: nat({ max: 50 }), answerMs: nat({ max: 50 }) });
  await assert(
    asyncProperty(array(tap, { minLength: 1, maxLength: 5 }), async (taps) => {
      const { console, sender } = pressing();
      for (const [index, { heldMs, answerMs }] of taps.entries()) {
        sender.hold(1 << index); // each another one: pressed anew, a button is let go of first
        await console.clock.pass(answerMs);
        await console.answer();
        await console.clock.pass(heldMs);
        sender.hold(0);
      }
      await console.answerAll();
      for (const index of taps.keys()) {
        const first = console.got.findIndex((bits) => bits & (1 << index));
        const release = console.got.findIndex((bits, at) => at > first && !(bits & (1 << index)));
        expect(first).toBeGreaterThanOrEqual(0);
        const pressedMs = console.answeredMs[first] ?? Number.NaN;
        expect((console.sentMs[release] ?? Number.NaN) - pressedMs).toBeGreaterThanOrEqual(PRESS_MS);
      }
    }),
  );
});
