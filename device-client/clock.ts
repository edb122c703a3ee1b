/** Time on every host of the client: `setTimeout` and `performance` are the same in Node and in browsers. */
import type { Clock, Timer, TimerHandle } from "../protocol/ports/runtime.js";

/** Timers and uptime; tests use one that they advance manually. */
export type ClientClock = Pick<Timer, "set" | "clear"> & Clock;

export const systemClock: ClientClock = Object.freeze({
  set: (callback: () => void, milliseconds: number) =>
    setTimeout(callback, milliseconds) as unknown as TimerHandle,
  clear: (timer: TimerHandle | undefined) => clearTimeout(timer as unknown as number | undefined),
  uptimeMs: () => performance.now(),
});
