/** Contract of every Timer and Clock. Times are short, since hosts with a real clock wait for them. */
import type { Clock, Timer } from "../../protocol/ports/runtime.js";
import { type ContractCase, equal } from "./assert.js";

export interface TimerHost {
  readonly timer: Timer;
  readonly clock: Clock;
  /** Resolves once `milliseconds` have passed and every timer due by then has run. */
  pass(milliseconds: number): Promise<void>;
}

/** Waits longer than the timers need: a host without processor time fires them late, and chained ones later still. */
async function until(pass: TimerHost["pass"], isSo: () => boolean): Promise<void> {
  for (let round = 0; round < 100 && !isSo(); round++) await pass(20);
}

export const TIMER_CONTRACT: readonly ContractCase<TimerHost>[] = [
  {
    name: "set() calls back once, and not before the delay has passed",
    async run({ timer, clock, pass }) {
      const calledAt: number[] = [];
      const setAt = clock.uptimeMs();
      timer.set(() => calledAt.push(clock.uptimeMs()), 20);
      await pass(80);
      equal(calledAt.length, 1, "calls");
      const afterMs = (calledAt[0] ?? 0) - setAt;
      // A clock of whole milliseconds may round the difference down by one.
      equal(afterMs >= 19, true, `a timer of 20 ms fires after 20 ms or more, not ${afterMs} ms`);
    },
  },
  {
    name: "set() does not call back before it returns, even with a delay of 0",
    async run({ timer, pass }) {
      let calls = 0;
      timer.set(() => calls++, 0);
      equal(calls, 0, "calls inside set");
      await pass(10);
      equal(calls, 1, "calls afterwards");
    },
  },
  {
    name: "timers fire in order of their times, not of their creation",
    async run({ timer, pass }) {
      const order: string[] = [];
      timer.set(() => order.push("late"), 60);
      timer.set(() => order.push("early"), 10);
      timer.set(() => order.push("middle"), 35);
      await pass(120);
      equal(order.join(), "early,middle,late", "order");
    },
  },
  {
    name: "timers of one time fire in order of their creation",
    async run({ timer, pass }) {
      const order: number[] = [];
      for (const number of [1, 2, 3, 4]) timer.set(() => order.push(number), 0);
      await pass(10);
      equal(order.join(), "1,2,3,4", "order");
    },
  },
  {
    name: "a cleared timer does not fire; clearing it again does nothing",
    async run({ timer, pass }) {
      let calls = 0;
      const handle = timer.set(() => calls++, 10);
      timer.clear(handle);
      timer.clear(handle);
      await pass(40);
      equal(calls, 0, "calls");
    },
  },
  {
    name: "clear() of undefined or of a fired timer does nothing",
    async run({ timer, pass }) {
      timer.clear(undefined);
      let calls = 0;
      const handle = timer.set(() => calls++, 0);
      await pass(10);
      timer.clear(handle);
      equal(calls, 1, "calls");
    },
  },
  {
    name: "a timer callback may clear another timer that is due",
    async run({ timer, pass }) {
      let calls = 0;
      timer.set(() => timer.clear(second), 0);
      const second = timer.set(() => calls++, 0);
      await pass(20);
      equal(calls, 0, "calls");
    },
  },
  {
    name: "repeat() calls back until it is cleared, which its callback may do",
    async run({ timer, pass }) {
      let calls = 0;
      const handle = timer.repeat(() => {
        calls++;
        if (calls === 3) timer.clear(handle);
      }, 5);
      await until(pass, () => calls === 3);
      await pass(20);
      equal(calls, 3, "calls");
    },
  },
  {
    name: "a timer that is set in a timer callback fires",
    async run({ timer, pass }) {
      let calls = 0;
      timer.set(() => timer.set(() => calls++, 5), 5);
      await until(pass, () => calls === 1);
      await pass(20);
      equal(calls, 1, "calls");
    },
  },
  {
    name: "promise callbacks of a timer run before the next timer",
    async run({ timer, pass }) {
      const order: string[] = [];
      timer.set(() => {
        order.push("first");
        Promise.resolve().then(() => order.push("its promise"));
      }, 0);
      timer.set(() => order.push("second"), 0);
      await pass(20);
      equal(order.join(), "first,its promise,second", "order");
    },
  },
  {
    name: "the clock never goes back",
    async run({ clock, pass }) {
      let last = clock.uptimeMs();
      equal(last >= 0, true, "uptime is not negative");
      for (let step = 0; step < 5; step++) {
        await pass(3);
        const now = clock.uptimeMs();
        equal(now >= last, true, `${now} ms is not before ${last} ms`);
        last = now;
      }
    },
  },
];
